#include <cmath>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__device__ __forceinline__ float warpSum(float v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

template <int COLS>
__global__ void layerNorm(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
                          float* __restrict__ y, int rows, float eps)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;               // a whole warp
    constexpr int PER = (COLS + 31) / 32;
    float v[PER];
    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        int c = threadIdx.x + 32 * k;
        v[k] = c < COLS ? x[row * COLS + c] : 0.f;
        sum += v[k];
    }
    const float mean = warpSum(sum) / COLS;
    float var = 0.f;
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        int c = threadIdx.x + 32 * k;
        if (c < COLS) var += (v[k] - mean) * (v[k] - mean);
    }
    const float inv = rsqrtf(warpSum(var) / COLS + eps);
#pragma unroll
    for (int k = 0; k < PER; ++k) {
        int c = threadIdx.x + 32 * k;
        if (c < COLS) y[row * COLS + c] = (v[k] - mean) * inv * gamma[c] + beta[c];
    }
}

int main()
{
    constexpr int rows = 13, cols = 75;
    std::vector<float> x(rows * cols), g(cols), b(cols), y(rows * cols);
    for (int i = 0; i < rows * cols; ++i) x[i] = std::sin(0.7f * i) * (1 + i / cols);
    for (int c = 0; c < cols; ++c) g[c] = 1.f + 0.01f * c, b[c] = -0.5f + 0.02f * c;
    float *dx, *dg, *db, *dy;
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dg, g.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dg, g.data(), g.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(32, 4);
    layerNorm<cols><<<(rows + 3) / 4, block>>>(dx, dg, db, dy, rows, 1e-5f);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int r = 0; r < rows; ++r) {
        double m = 0, v = 0;
        for (int c = 0; c < cols; ++c) m += x[r * cols + c];
        m /= cols;
        for (int c = 0; c < cols; ++c) v += (x[r * cols + c] - m) * (x[r * cols + c] - m);
        v /= cols;
        for (int c = 0; c < cols; ++c)
            worst = std::max(worst, std::fabs(y[r * cols + c] - ((x[r * cols + c] - m) / std::sqrt(v + 1e-5) * g[c] + b[c])));
    }
    std::cout << "worst " << worst << "\n";
    cudaFree(dx);
    cudaFree(dg);
    cudaFree(db);
    cudaFree(dy);
    return worst < 1e-4 ? 0 : 1;
}
