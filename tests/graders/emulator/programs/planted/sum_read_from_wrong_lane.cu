#include <stdio.h>
#include <cuda_runtime.h>

__global__ void warp_total(const int *v, int *total)
{
    int s = v[threadIdx.x];
    for (int d = 16; d; d >>= 1) s += __shfl_down_sync(0xffffffff, s, d);
    if (threadIdx.x == 31) *total = s;
}

int main(void)
{
    int h[32], want = 0, got = 0, *d;
    for (int i = 0; i < 32; i++) want += h[i] = i + 1;
    cudaMalloc((void **)&d, 33 * sizeof(int));
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    warp_total<<<1, 32>>>(d, d + 32);
    cudaMemcpy(&got, d + 32, sizeof(int), cudaMemcpyDeviceToHost);
    printf("got %d, want %d\n", got, want);
    cudaFree(d);
    return got == want ? 0 : 1;
}
