#include <cstdio>
#include <cuda_runtime.h>

__global__ void iota(int *out) { out[threadIdx.x] = threadIdx.x; }

int main()
{
    const int n = 2048;
    static int host[n];
    int *dev;
    cudaMalloc(&dev, n * sizeof(int));
    iota<<<1, n>>>(dev);
    cudaMemcpy(host, dev, n * sizeof(int), cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int i = 0; i < n; i++) sum += host[i];
    printf("sum = %ld (expected %d)\n", sum, n * (n - 1) / 2);
    cudaFree(dev);
    return 0;
}
