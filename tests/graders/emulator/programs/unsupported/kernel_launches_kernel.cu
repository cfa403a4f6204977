#include <stdio.h>
#include <cuda_runtime.h>

__global__ void child(int *v, int base)
{
    v[base + threadIdx.x] = base;
}

__global__ void parent(int *v)
{
    if (threadIdx.x == 0)
        child<<<1, 4>>>(v, blockIdx.x * 4);
}

int main(void)
{
    int h[16], *d;
    cudaMalloc((void **)&d, sizeof h);
    parent<<<4, 32>>>(d);
    cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[15]);
    cudaFree(d);
    return h[15] != 12;
}
