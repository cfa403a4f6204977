#include <cstdio>
#include <cuda_runtime.h>

__device__ unsigned smId()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

__global__ void where(unsigned* out)
{
    if (threadIdx.x == 0) out[blockIdx.x] = smId();
}

int main()
{
    unsigned h[8], *d;
    cudaMalloc(&d, sizeof h);
    where<<<8, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 8; ++b) std::printf("block %d ran on multiprocessor %u\n", b, h[b]);
    cudaFree(d);
    return 0;
}
