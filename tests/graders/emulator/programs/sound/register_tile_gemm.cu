#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int BM = 16, BN = 32, BK = 8;
// 64 threads compute a tile of 16 x 32; each one holds 2 x 4 results
__global__ void sgemm(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float sa[BK][BM];
    __shared__ __align__(16) float sb[BK][BN];
    const int tid = threadIdx.x, tr = tid / 8, tc = tid % 8;
    float acc[2][4] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += 64) sa[e / BM][e % BM] = __ldg(&A[(k0 + e / BM) * M + blockIdx.y * BM + e % BM]);
        for (int e = tid; e < BK * BN / 4; e += 64) {
            int r = e / (BN / 4), c = e % (BN / 4) * 4;
            *(float4 *)&sb[r][c] = *(const float4 *)&B[(k0 + r) * N + blockIdx.x * BN + c];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a0 = sa[k][2 * tr], a1 = sa[k][2 * tr + 1];
            float4 b = *(float4 *)&sb[k][4 * tc];
            acc[0][0] += a0 * b.x; acc[0][1] += a0 * b.y; acc[0][2] += a0 * b.z; acc[0][3] += a0 * b.w;
            acc[1][0] += a1 * b.x; acc[1][1] += a1 * b.y; acc[1][2] += a1 * b.z; acc[1][3] += a1 * b.w;
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i) {
        int row = blockIdx.y * BM + 2 * tr + i, col = blockIdx.x * BN + 4 * tc;
        *(float4 *)&C[row * N + col] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
}

int main()
{
    const int M = 32, N = 64, K = 24;
    static float A[M * K], B[K * N], C[M * N];
    for (int i = 0; i < M * K; i++) A[i] = (i * 13 % 17) * 0.25f - 2.f;      // column-major: A[k * M + m]
    for (int i = 0; i < K * N; i++) B[i] = (i * 7 % 19) * 0.5f - 4.f;
    float *a, *b, *c;
    cudaMalloc(&a, sizeof A);
    cudaMalloc(&b, sizeof B);
    cudaMalloc(&c, sizeof C);
    cudaMemcpy(a, A, sizeof A, cudaMemcpyHostToDevice);
    cudaMemcpy(b, B, sizeof B, cudaMemcpyHostToDevice);
    sgemm<<<dim3(N / BN, M / BM), 64>>>(M, N, K, a, b, c);
    cudaMemcpy(C, c, sizeof C, cudaMemcpyDeviceToHost);
    float worst = 0;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[k * M + m] * B[k * N + n];
            worst = fmaxf(worst, fabsf(s - C[m * N + n]));
        }
    printf("worst %g\n", worst);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return worst > 1e-3f;
}
