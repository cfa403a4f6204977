#include <cstdio>
#include <cuda_runtime.h>

__global__ void addOne(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += 1;
}

static bool test(int n)
{
    int h[64] = {0};
    int *d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
    addOne<<<n / 4, 4>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && h[i] == 1;
    return ok;
}

int main()
{
    int sizes[] = {64, 16, 3};
    int bad = 0;
    for (int n : sizes) {
        bool ok = test(n);
        printf("n = %d %s\n", n, ok ? "ok" : "failed");
        bad += !ok;
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return bad;
}
