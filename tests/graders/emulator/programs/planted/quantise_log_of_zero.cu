#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

// level of each spectral line in steps of 1 dB
__global__ void toDecibel(const float* power, int* level, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float db = 10.0f * log10f(power[i]);
        level[i] = (int)db;
    }
}

int main()
{
    const int n = 96;
    std::vector<float> p(n);
    std::vector<int> l(n);
    for (int i = 0; i < n; ++i) p[i] = i % 5 == 0 ? 0.0f : 0.5f * i;
    float* dp;
    int* dl;
    cudaMalloc(&dp, n * sizeof(float));
    cudaMalloc(&dl, n * sizeof(int));
    cudaMemcpy(dp, p.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    toDecibel<<<1, n>>>(dp, dl, n);
    cudaMemcpy(l.data(), dl, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d %d %d\n", l[0], l[1], l[2]);
    cudaFree(dp);
    cudaFree(dl);
    return 0;
}
