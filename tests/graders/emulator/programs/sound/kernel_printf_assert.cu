#include <assert.h>
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void hello(int *seen)
{
    int id = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * (threadIdx.z + blockDim.z * blockIdx.x));
    assert(id >= 0 && id < 24);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        printf("block %u, layer %u: %s %5.2f %c %lld\n", blockIdx.x, threadIdx.z, "hello", 1.5 * id, 'x', 1LL << 40);
    assert(seen[id] == 0);
    seen[id] = 1;
}

int main(void)
{
    int h[24], *d, missing = 0;
    cudaMalloc((void **)&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    hello<<<2, dim3(3, 2, 2)>>>(d);
    cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 24; i++) missing += !h[i];
    printf("%d threads did not say hello\n", missing);
    cudaFree(d);
    return missing;
}
