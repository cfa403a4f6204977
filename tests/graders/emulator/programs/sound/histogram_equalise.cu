// 直方图均衡化：统计灰度、累计、查表
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

const int LEVELS = 256;

__global__ void countLevels(const unsigned char* img, int n, unsigned* hist)
{
    __shared__ unsigned local[LEVELS];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[img[i]], 1);
    __syncthreads();
    atomicAdd(&hist[threadIdx.x], local[threadIdx.x]);
}

__global__ void buildTable(const unsigned* hist, int n, unsigned char* table)
{
    __shared__ unsigned cdf[LEVELS];
    __shared__ unsigned lowest;
    int t = threadIdx.x;
    cdf[t] = hist[t];
    if (t == 0) lowest = n;
    __syncthreads();
    for (int d = 1; d < LEVELS; d *= 2) {
        unsigned add = t >= d ? cdf[t - d] : 0;
        __syncthreads();
        cdf[t] += add;
        __syncthreads();
    }
    if (hist[t] > 0) atomicMin(&lowest, cdf[t]);
    __syncthreads();
    float q = cdf[t] >= lowest && n > lowest ? float(cdf[t] - lowest) / float(n - lowest) : 0.f;
    table[t] = static_cast<unsigned char>(q * 255.0f + 0.5f);
}

__global__ void apply(unsigned char* img, int n, const unsigned char* table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) img[i] = table[img[i]];
}

int main()
{
    const int w = 60, h = 40, n = w * h;
    std::vector<unsigned char> img(n), res(n);
    for (int i = 0; i < n; ++i) img[i] = 90 + (i * i / 7) % 50;
    unsigned char *d, *table;
    unsigned* hist;
    cudaMalloc(&d, n);
    cudaMalloc(&table, LEVELS);
    cudaMalloc(&hist, LEVELS * sizeof(unsigned));
    cudaMemcpy(d, img.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(hist, 0, LEVELS * sizeof(unsigned));
    countLevels<<<3, LEVELS>>>(d, n, hist);
    buildTable<<<1, LEVELS>>>(hist, n, table);
    apply<<<(n + 255) / 256, 256>>>(d, n, table);
    cudaMemcpy(res.data(), d, n, cudaMemcpyDeviceToHost);

    std::vector<unsigned> cdf(LEVELS, 0);
    for (auto v : img) ++cdf[v];
    for (int k = 1; k < LEVELS; ++k) cdf[k] += cdf[k - 1];
    unsigned lowest = *std::find_if(cdf.begin(), cdf.end(), [](unsigned v) { return v > 0; });
    int bad = 0;
    for (int i = 0; i < n; ++i) {
        float want = 255.0f * (cdf[img[i]] - lowest) / (n - lowest);
        bad += std::fabs(res[i] - want) > 0.6f;
    }
    std::cout << "误差像素: " << bad << std::endl;
    cudaFree(d);
    cudaFree(table);
    cudaFree(hist);
    return bad > 0;
}
