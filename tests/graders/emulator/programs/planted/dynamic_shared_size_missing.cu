#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define HANDLE(err) (handle((err), __FILE__, __LINE__))
static void handle(cudaError_t err, const char *file, int line)
{
    if (err != cudaSuccess) {
        printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
        exit(EXIT_FAILURE);
    }
}

__global__ void reverseDynamic(float *d, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    d[t] = s[n - t - 1];
}

int main()
{
    const int n = 64;
    std::vector<float> a(n);
    for (int i = 0; i < n; i++) a[i] = float(i);
    float *d;
    HANDLE(cudaMalloc(&d, n * sizeof(float)));
    HANDLE(cudaMemcpy(d, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    reverseDynamic<<<1, n>>>(d, n);
    HANDLE(cudaMemcpy(a.data(), d, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (a[i] != float(n - 1 - i)) return 1;
    HANDLE(cudaFree(d));
    return 0;
}
