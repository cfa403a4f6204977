#include <cstdio>
#include <cuda_runtime.h>

__device__ int *kept;

__global__ void remember()
{
    __shared__ int s[16];
    s[threadIdx.x] = threadIdx.x * 5;
    __syncthreads();
    if (threadIdx.x == 0) kept = s;
}

__global__ void recall(int *out) { out[threadIdx.x] = kept[threadIdx.x]; }

int main()
{
    int h[16], *d;
    cudaMalloc(&d, sizeof h);
    remember<<<1, 16>>>();
    recall<<<1, 16>>>(d);
    cudaError_t e = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorString(e), h[3]);
    cudaFree(d);
    return 0;
}
