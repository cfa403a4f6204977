#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

/* 分块矩阵乘法：C[M x N] = A[M x K] * B[K x N]，尺寸不必是块大小的整数倍 */
#define TS 8

__global__ void gemm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sa[TS][TS];
    __shared__ float sb[TS][TS + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TS + ty;
    int col = blockIdx.x * TS + tx;
    float sum = 0.f;
    for (int k0 = 0; k0 < K; k0 += TS) {
        sa[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.f;
        sb[ty][tx] = (col < N && k0 + ty < K) ? B[(k0 + ty) * N + col] : 0.f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TS; ++k)
            sum += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

int main(void)
{
    const int M = 37, N = 29, K = 21;
    float *a = (float *)malloc(M * K * sizeof(float));
    float *b = (float *)malloc(K * N * sizeof(float));
    float *c = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) a[i] = (float)(i % 7) - 3.f;
    for (int i = 0; i < K * N; i++) b[i] = (float)(i % 5) * 0.5f;

    float *da, *db, *dc;
    cudaMalloc((void **)&da, M * K * sizeof(float));
    cudaMalloc((void **)&db, K * N * sizeof(float));
    cudaMalloc((void **)&dc, M * N * sizeof(float));
    cudaMemcpy(da, a, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, K * N * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(TS, TS);
    dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);
    gemm<<<grid, block>>>(da, db, dc, M, N, K);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        printf("启动失败: %s\n", cudaGetErrorString(e));
        return 1;
    }
    cudaMemcpy(c, dc, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    double worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)a[i * K + k] * b[k * N + j];
            double d = fabs(s - c[i * N + j]);
            if (d > worst) worst = d;
        }
    printf("最大误差 %g\n", worst);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return worst < 1e-3 ? 0 : 1;
}
