#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__constant__ float taps[4];

__global__ void filterSignal(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 3) return;
    y[i] = taps[0] * x[i] + taps[1] * x[i + 1] + taps[2] * x[i + 2] + taps[3] * x[i + 3];
}

int main()
{
    const int n = 103;
    const float w[4] = {0.1f, 0.2f, 0.3f, 0.4f};
    std::vector<float> x(n), y(n - 3);
    for (int i = 0; i < n; ++i) x[i] = 1.0f + i % 7;
    float *dx, *dy;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, (n - 3) * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    filterSignal<<<4, 32>>>(dx, dy, n);
    cudaMemcpy(y.data(), dy, (n - 3) * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n - 3; ++i) {
        float want = 0;
        for (int k = 0; k < 4; ++k) want += w[k] * x[i + k];
        wrong += std::fabs(want - y[i]) > 1e-3f;
    }
    std::printf("%d wrong\n", wrong);
    cudaFree(dx);
    cudaFree(dy);
    return wrong ? 1 : 0;
}
