#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define WARPS 4

__global__ void matvec(const double *A, const double *x, double *y, int m, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    double sum = 0.0;
    if (warp < m)
        for (int j = lane; j < n; j += 32) sum += A[warp * n + j] * x[j];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0 && warp < m) y[warp] = sum;
}

int main(void)
{
    int m = 22, n = 90, i, j, bad = 0;
    double *A = (double *)malloc(m * n * sizeof(double)), *x = (double *)malloc(n * sizeof(double));
    double *y = (double *)malloc(m * sizeof(double));
    for (i = 0; i < m * n; i++) A[i] = (double)(i % 13) / 8.0;
    for (j = 0; j < n; j++) x[j] = (double)(j % 4) - 1.5;
    double *dA, *dx, *dy;
    cudaMalloc((void **)&dA, m * n * sizeof(double));
    cudaMalloc((void **)&dx, n * sizeof(double));
    cudaMalloc((void **)&dy, m * sizeof(double));
    cudaMemcpy(dA, A, m * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
    matvec<<<(m + WARPS - 1) / WARPS, 32 * WARPS>>>(dA, dx, dy, m, n);
    cudaMemcpy(y, dy, m * sizeof(double), cudaMemcpyDeviceToHost);
    for (i = 0; i < m; i++) {
        double s = 0;
        for (j = 0; j < n; j++) s += A[i * n + j] * x[j];
        if (fabs(s - y[i]) > 1e-9) bad++;
    }
    printf("rows wrong: %d\n", bad);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    free(A); free(x); free(y);
    return bad;
}
