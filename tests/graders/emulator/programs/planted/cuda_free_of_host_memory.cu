#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void halve(float *v) { v[threadIdx.x] *= 0.5f; }

int main(void)
{
    float *h = (float *)malloc(32 * sizeof(float)), *d;
    for (int i = 0; i < 32; i++) h[i] = 2.0f * i;
    cudaMalloc((void **)&d, 32 * sizeof(float));
    cudaMemcpy(d, h, 32 * sizeof(float), cudaMemcpyHostToDevice);
    halve<<<1, 32>>>(d);
    cudaMemcpy(h, d, 32 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[31]);
    cudaFree(d);
    cudaFree(h);
    return 0;
}
