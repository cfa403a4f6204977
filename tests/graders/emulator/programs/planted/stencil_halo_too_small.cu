#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

const int BLOCK = 128;

__global__ void smooth(const int* in, int* out, int n)
{
    __shared__ int tile[BLOCK + 1];        // block + halo
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int l = threadIdx.x + 1;

    tile[l] = g < n ? in[g] : 0;
    if (threadIdx.x == 0)
        tile[0] = g > 0 ? in[g - 1] : 0;
    if (threadIdx.x == BLOCK - 1)
        tile[l + 1] = g + 1 < n ? in[g + 1] : 0;
    __syncthreads();
    if (g < n)
        out[g] = tile[l - 1] + tile[l] + tile[l + 1];
}

int main()
{
    const int n = 1024;
    std::vector<int> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = (i * 37) % 101;
    int *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    smooth<<<n / BLOCK, BLOCK>>>(a, b, n);
    cudaMemcpy(r.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
    int errors = 0;
    for (int i = 0; i < n; i++) {
        int e = h[i] + (i ? h[i - 1] : 0) + (i + 1 < n ? h[i + 1] : 0);
        errors += e != r[i];
    }
    printf("%d errors\n", errors);
    cudaFree(a);
    cudaFree(b);
    return errors > 0;
}
