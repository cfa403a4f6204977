#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int kBins = 16;

__global__ void histo(const unsigned* keys, int n, unsigned* bins)
{
    __shared__ unsigned mine[kBins];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[keys[i] % kBins], 1u);
    __syncthreads();
    if (threadIdx.x < kBins)
        atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main()
{
    std::vector<unsigned> keys(1000);
    for (unsigned i = 0; i < keys.size(); ++i) keys[i] = i * 2654435761u >> 7;
    unsigned *dk, *db, bins[kBins];
    cudaMalloc(&dk, keys.size() * sizeof(unsigned));
    cudaMalloc(&db, sizeof bins);
    cudaMemset(db, 0, sizeof bins);
    cudaMemcpy(dk, keys.data(), keys.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
    histo<<<2, 64>>>(dk, 1000, db);
    cudaMemcpy(bins, db, sizeof bins, cudaMemcpyDeviceToHost);
    for (int b = 0; b < kBins; ++b) std::printf("%u ", bins[b]);
    std::printf("\n");
    cudaFree(dk);
    cudaFree(db);
    return 0;
}
