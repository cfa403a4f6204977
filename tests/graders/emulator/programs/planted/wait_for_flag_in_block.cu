#include <stdio.h>
#include <cuda_runtime.h>

__global__ void relay(int *slot, int *out)
{
    __shared__ int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        *slot = 42;
        __syncthreads();
        atomicExch(&ready, 1);
    } else {
        while (atomicAdd(&ready, 0) == 0)
            ;
        __syncthreads();
    }
    out[threadIdx.x] = *slot;
}

int main(void)
{
    int *slot, *out, h[64];
    cudaMalloc((void **)&slot, sizeof(int));
    cudaMalloc((void **)&out, sizeof h);
    relay<<<1, 64>>>(slot, out);
    cudaError_t e = cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorString(e), h[63]);
    cudaFree(slot);
    cudaFree(out);
    return 0;
}
