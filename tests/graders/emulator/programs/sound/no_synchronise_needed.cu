#include <stdio.h>
#include <cuda_runtime.h>

__global__ void fill(int *a, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = v + i;
}

__global__ void combine(const int *a, const int *b, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * 1000 + b[i];
}

int main(void)
{
    enum { N = 90 };
    int h[N], *a, *b, *c, wrong = 0;
    cudaMalloc((void **)&a, sizeof h);
    cudaMalloc((void **)&b, sizeof h);
    cudaMalloc((void **)&c, sizeof h);
    /* launches and copies of the default stream are done in order, so nothing else waits */
    fill<<<3, 32>>>(a, N, 1);
    cudaMemcpy(b, a, sizeof h, cudaMemcpyDeviceToDevice);
    fill<<<3, 32>>>(a, N, 7);
    combine<<<3, 32>>>(a, b, c, N);
    cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) wrong += h[i] != (7 + i) * 1000 + 1 + i;
    printf("%d wrong\n", wrong);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return wrong;
}
