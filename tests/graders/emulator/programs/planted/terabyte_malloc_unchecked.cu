#include <cstdio>
#include <cuda_runtime.h>

__global__ void touch(double *p, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1.0;
}

int main()
{
    size_t n = size_t(1) << 37;     // doubles
    double *p = nullptr;
    cudaMalloc(&p, n * sizeof(double));
    touch<<<16, 64>>>(p, n);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(p);
    return e != cudaSuccess;
}
