#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void total(const int* x, int n, int* result)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i];
    for (int d = 16; d >= 1; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(result, v);
}

int main()
{
    const int n = 50;
    std::vector<int> h(n, 1);
    int *x, *r, got = 0;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&r, sizeof(int));
    cudaMemset(r, 0, sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    total<<<1, 64>>>(x, n, r);
    cudaMemcpy(&got, r, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", got);
    cudaFree(x);
    cudaFree(r);
    return got == n ? 0 : 1;
}
