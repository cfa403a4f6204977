#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

__global__ void gauss(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = expf(-0.5f * x[i] * x[i]);
}

int main(void)
{
    int n = 256, bad = 0;
    float *x = (float *)malloc(n * sizeof(float));
    float *y = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) x[i] = (i - 128) / 32.0f;
    float *dx, *dy;
    cudaMalloc((void **)&dx, n * sizeof(float));
    cudaMalloc((void **)&dy, n * sizeof(float));
    cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 threads(64), blocks((n + 63) / 64);
    printf("%u blocks of %u threads\n", blocks.x, threads.x);
    cudaDeviceSynchronize();
    cudaMemcpy(y, dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        if (!(fabsf(y[i] - expf(-0.5f * x[i] * x[i])) < 1e-5f)) bad++;
    printf("bad: %d\n", bad);
    cudaFree(dx);
    cudaFree(dy);
    free(x);
    free(y);
    return bad != 0;
}
