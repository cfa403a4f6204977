#include <stdio.h>
#include <cuda_runtime.h>

#define FULL 0xffffffff

__global__ void warp_sum_of_valid(const float *x, float *out, int valid)
{
    int lane = threadIdx.x & 31;
    float v = x[lane];
    if (lane < valid) {
        for (int off = 16; off > 0; off >>= 1)
            v += __shfl_down_sync(FULL, v, off);
    }
    if (lane == 0) *out = v;
}

int main(void)
{
    float h[32], r = 0.0f, *dx, *dr;
    for (int i = 0; i < 32; i++) h[i] = 1.0f;
    cudaMalloc((void **)&dx, sizeof(h));
    cudaMalloc((void **)&dr, sizeof(float));
    cudaMemcpy(dx, h, sizeof(h), cudaMemcpyHostToDevice);
    warp_sum_of_valid<<<1, 32>>>(dx, dr, 20);
    cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost);
    printf("sum of the first 20: %f\n", r);
    cudaFree(dx);
    cudaFree(dr);
    return 0;
}
