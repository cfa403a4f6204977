#include <cmath>
#include <iostream>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

__global__ void jacobi(const float* A, const float* b, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = b[i];
    for (int j = 0; j < n; ++j)
        if (j != i) s -= A[i * n + j] * x[j];
    y[i] = s / A[i * n + i];
}

__global__ void maxDifference(const float* x, const float* y, int n, float* result)
{
    extern __shared__ float top[];
    float m = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, fabsf(x[i] - y[i]));
    top[threadIdx.x] = m;
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        __syncthreads();
        if (threadIdx.x < s) top[threadIdx.x] = fmaxf(top[threadIdx.x], top[threadIdx.x + s]);
    }
    if (threadIdx.x == 0) *result = top[0];
}

int main()
{
    const int n = 40;
    std::vector<float> A(n * n), b(n), sol(n), x(n, 0.f);
    for (int i = 0; i < n; ++i) sol[i] = 1.f + i % 5;
    for (int i = 0; i < n; ++i) {
        b[i] = 0;
        for (int j = 0; j < n; ++j) {
            A[i * n + j] = i == j ? 10.f : 0.1f * ((i + 2 * j) % 3);
            b[i] += A[i * n + j] * sol[j];
        }
    }
    float *dA, *db, *dx, *dy, *dr, diff = 1.f;
    cudaMalloc(&dA, n * n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(dA, A.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemsetAsync(dx, 0, n * sizeof(float), 0);
    int it = 0;
    while (diff > 1e-5f && it < 60) {
        jacobi<<<2, 32>>>(dA, db, dx, dy, n);
        maxDifference<<<1, 32, 32 * sizeof(float)>>>(dx, dy, n, dr);
        cudaMemcpyAsync(&diff, dr, sizeof(float), cudaMemcpyDeviceToHost);
        cudaStreamSynchronize(0);
        std::swap(dx, dy);
        ++it;
    }
    cudaMemcpy(x.data(), dx, n * sizeof(float), cudaMemcpyDeviceToHost);
    float worst = 0;
    for (int i = 0; i < n; ++i) worst = std::max(worst, std::fabs(x[i] - sol[i]));
    std::cout << it << " iterations, error " << worst << "\n";
    for (float* p : {dA, db, dx, dy, dr}) cudaFree(p);
    return worst < 1e-3f && it < 60 ? 0 : 1;
}
