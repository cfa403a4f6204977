#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

// Block-wise sum of an array. Each block leaves one partial sum.
template <int BLOCK>
__global__ void blockSum(const float* __restrict__ in, float* __restrict__ partial, int n) {
    __shared__ float buf[BLOCK];
    const int tid = threadIdx.x;
    const int gid = blockIdx.x * BLOCK + tid;
    buf[tid] = gid < n ? in[gid] : 0.0f;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (tid < half) {
            buf[tid] += buf[tid + half];
        }
    }
    if (tid == 0) partial[blockIdx.x] = buf[0];
}

int main() {
    const int n = 1000;
    constexpr int block = 256;
    const int grid = (n + block - 1) / block;
    std::vector<float> h(n);
    double expected = 0.0;
    for (int i = 0; i < n; ++i) {
        h[i] = 0.25f * (i % 17);
        expected += h[i];
    }
    float *dIn = nullptr, *dOut = nullptr;
    cudaMalloc(&dIn, n * sizeof(float));
    cudaMalloc(&dOut, grid * sizeof(float));
    cudaMemcpy(dIn, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    blockSum<block><<<grid, block>>>(dIn, dOut, n);
    std::vector<float> part(grid);
    cudaMemcpy(part.data(), dOut, grid * sizeof(float), cudaMemcpyDeviceToHost);
    double got = 0.0;
    for (float p : part) got += p;
    std::printf("got %.3f, expected %.3f\n", got, expected);
    cudaFree(dIn);
    cudaFree(dOut);
    return std::fabs(got - expected) < 1e-2 ? 0 : 1;
}
