#include <cmath>
#include <cstdio>
#include <cfloat>
#include <vector>
#include <cuda_runtime.h>

constexpr unsigned kAll = 0xffffffffu;
constexpr int kThreads = 96;

template <bool MAX>
__device__ float combine(float a, float b) { return MAX ? fmaxf(a, b) : a + b; }

template <bool MAX>
__device__ float blockReduce(float v, float* scratch)
{
    for (int d = 16; d; d >>= 1) v = combine<MAX>(v, __shfl_xor_sync(kAll, v, d));
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    v = scratch[0];
    for (int w = 1; w < kThreads / 32; ++w) v = combine<MAX>(v, scratch[w]);
    __syncthreads();      // scratch is used again
    return v;
}

__global__ __launch_bounds__(kThreads) void softmax(const float* in, float* out, int cols)
{
    __shared__ float scratch[kThreads / 32];
    const float* x = in + blockIdx.x * cols;
    float* y = out + blockIdx.x * cols;
    float m = -FLT_MAX;
    for (int c = threadIdx.x; c < cols; c += kThreads) m = fmaxf(m, x[c]);
    m = blockReduce<true>(m, scratch);
    float s = 0.f;
    for (int c = threadIdx.x; c < cols; c += kThreads) s += expf(x[c] - m);
    s = blockReduce<false>(s, scratch);
    for (int c = threadIdx.x; c < cols; c += kThreads) y[c] = expf(x[c] - m) / s;
}

int main()
{
    int failures = 0;
    for (int cols : {1, 10, 96, 200}) {
        const int rows = 5;
        std::vector<float> x(rows * cols), y(rows * cols);
        for (size_t i = 0; i < x.size(); ++i) x[i] = 0.3f * ((i * 29) % 71) - 8.f;
        float *dx, *dy;
        cudaMalloc(&dx, x.size() * sizeof(float));
        cudaMalloc(&dy, x.size() * sizeof(float));
        cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
        softmax<<<rows, kThreads>>>(dx, dy, cols);
        cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
        double worst = 0;
        for (int r = 0; r < rows; ++r) {
            double m = -1e30, s = 0;
            for (int c = 0; c < cols; ++c) m = std::fmax(m, x[r * cols + c]);
            for (int c = 0; c < cols; ++c) s += std::exp(x[r * cols + c] - m);
            for (int c = 0; c < cols; ++c)
                worst = std::fmax(worst, std::fabs(y[r * cols + c] - std::exp(x[r * cols + c] - m) / s));
        }
        printf("%4d columns: error %.1e\n", cols, worst);
        if (!(worst < 1e-5)) ++failures;
        cudaFree(dx);
        cudaFree(dy);
    }
    return failures;
}
