#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void upsample(const float* coarse, float* fine, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    fine[2 * i] = coarse[i];
    // TODO interpolate the odd ones
}

int main()
{
    constexpr int n = 200;
    std::vector<float> coarse(n, 1.5f), fine(2 * n);
    float *c, *f;
    if (cudaMalloc(&c, n * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMalloc(&f, 2 * n * sizeof(float)) != cudaSuccess) return 1;
    cudaMemcpy(c, coarse.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    upsample<<<(n + 63) / 64, 64>>>(c, f, n);
    cudaMemcpy(fine.data(), f, fine.size() * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (float v : fine) sum += v;
    std::printf("sum %f\n", sum);
    cudaFree(c);
    cudaFree(f);
    return 0;
}
