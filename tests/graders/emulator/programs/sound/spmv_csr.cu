#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_TRY(e)                                                                        \
    {                                                                                      \
        auto err__ = (e);                                                                  \
        if (err__ != cudaSuccess) {                                                        \
            std::cerr << __func__ << ": " << cudaGetErrorString(err__) << std::endl;       \
            std::abort();                                                                  \
        }                                                                                  \
    }

template <typename T>
T* toDevice(const std::vector<T>& v)
{
    T* p = nullptr;
    CUDA_TRY(cudaMalloc(&p, v.size() * sizeof(T)));
    CUDA_TRY(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

struct Csr {
    int rows;
    const int *start, *col;
    const float* val;
};

__global__ void spmvScalar(Csr m, const float* x, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < m.rows) {
        float s = 0;
        for (int k = m.start[r]; k < m.start[r + 1]; ++k) s += m.val[k] * __ldg(&x[m.col[k]]);
        y[r] = s;
    }
}

__global__ void spmvVector(Csr m, const float* x, float* y)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (r >= m.rows) return;
    float s = 0;
    for (int k = m.start[r] + lane; k < m.start[r + 1]; k += 32) s += m.val[k] * x[m.col[k]];
    for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
    if (lane == 0) y[r] = s;
}

int main()
{
    const int n = 60;
    std::vector<int> start{0}, col;
    std::vector<float> val, x(n), y1(n), y2(n);
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c)
            if ((r * 7 + c * 3) % 11 < r % 5) {
                col.push_back(c);
                val.push_back(0.5f * ((r + c) % 9 - 4));
            }
        start.push_back((int)col.size());
        x[r] = 1.0f + 0.1f * r;
    }
    int *ds = toDevice(start), *dc = toDevice(col);
    float *dv = toDevice(val), *dx = toDevice(x), *dy = nullptr;
    CUDA_TRY(cudaMalloc(&dy, n * sizeof(float)));
    Csr m{n, ds, dc, dv};
    spmvScalar<<<(n + 31) / 32, 32>>>(m, dx, dy);
    CUDA_TRY(cudaMemcpy(y1.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));
    spmvVector<<<(n + 3) / 4, 128>>>(m, dx, dy);
    CUDA_TRY(cudaMemcpy(y2.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int r = 0; r < n; ++r) {
        double s = 0;
        for (int k = start[r]; k < start[r + 1]; ++k) s += val[k] * x[col[k]];
        bad += std::fabs(s - y1[r]) > 1e-3 || std::fabs(s - y2[r]) > 1e-3;
    }
    std::cout << col.size() << " non-zeros, " << bad << " bad rows" << std::endl;
    CUDA_TRY(cudaFree(ds));
    CUDA_TRY(cudaFree(dc));
    CUDA_TRY(cudaFree(dv));
    CUDA_TRY(cudaFree(dx));
    CUDA_TRY(cudaFree(dy));
    return bad;
}
