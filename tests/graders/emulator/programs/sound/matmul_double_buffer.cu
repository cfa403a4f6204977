#include <cmath>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

template <int T>
__global__ void gemmPipelined(const float* A, const float* B, float* C, int n)
{
    __shared__ float a[2][T][T];
    __shared__ float b[2][T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    auto load = [&](int buffer, int tile) {
        a[buffer][ty][tx] = A[row * n + tile * T + tx];
        b[buffer][ty][tx] = B[(tile * T + ty) * n + col];
    };
    float acc = 0.f;
    const int tiles = n / T;
    load(0, 0);
    __syncthreads();
    for (int t = 0; t < tiles; ++t) {
        const int now = t & 1;
        if (t + 1 < tiles) load(now ^ 1, t + 1);       // nobody reads this buffer before the barrier
        for (int k = 0; k < T; ++k) acc += a[now][ty][k] * b[now][k][tx];
        __syncthreads();
    }
    C[row * n + col] = acc;
}

int main()
{
    const int n = 32;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = static_cast<float>(i % 5) - 2.f;
        b[i] = static_cast<float>(i % 7) - 3.f;
    }
    float *da, *db, *dc;
    const size_t bytes = n * n * sizeof(float);
    cudaMalloc(&da, bytes);
    cudaMalloc(&db, bytes);
    cudaMalloc(&dc, bytes);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
    int wrong = 0;
    for (int variant = 0; variant < 2; ++variant) {
        cudaMemset(dc, 0, bytes);
        if (variant == 0)
            gemmPipelined<8><<<dim3(n / 8, n / 8), dim3(8, 8)>>>(da, db, dc, n);
        else
            gemmPipelined<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(da, db, dc, n);
        cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                float s = 0.f;
                for (int k = 0; k < n; ++k) s += a[i * n + k] * b[k * n + j];
                wrong += std::fabs(s - c[i * n + j]) > 1e-3f;
            }
    }
    std::cout << wrong << " wrong entries" << std::endl;
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return wrong != 0;
}
