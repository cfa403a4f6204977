#include <iostream>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

constexpr int kBlock = 128;

__device__ int inclusiveWarpScan(int v)
{
    const int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d <<= 1) {
        int up = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += up;
    }
    return v;
}

__device__ int inclusiveBlockScan(int v)
{
    __shared__ int totals[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = inclusiveWarpScan(v);
    if (lane == 31) totals[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int t = lane < blockDim.x / 32 ? totals[lane] : 0;
        t = inclusiveWarpScan(t);
        totals[lane] = t;
    }
    __syncthreads();
    if (warp > 0) v += totals[warp - 1];
    return v;
}

__global__ void scanBlocks(const int* in, int* out, int* sums, int n)
{
    int i = blockIdx.x * kBlock + threadIdx.x;
    int v = inclusiveBlockScan(i < n ? in[i] : 0);
    if (i < n) out[i] = v;
    if (threadIdx.x == kBlock - 1 && sums) sums[blockIdx.x] = v;
}

__global__ void addOffsets(int* out, const int* sums, int n)
{
    int i = blockIdx.x * kBlock + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main()
{
    const int n = 2000, grid = (n + kBlock - 1) / kBlock;
    std::vector<int> h(n), want(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 23) % 19 - 4;
    std::partial_sum(h.begin(), h.end(), want.begin());
    int *in, *out, *sums, *scanned;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&sums, grid * sizeof(int));
    cudaMalloc(&scanned, grid * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scanBlocks<<<grid, kBlock>>>(in, out, sums, n);
    scanBlocks<<<1, kBlock>>>(sums, scanned, nullptr, grid);
    addOffsets<<<grid, kBlock>>>(out, scanned, n);
    cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << (got == want ? "PASS" : "FAIL") << " " << got.back() << "\n";
    for (int* p : {in, out, sums, scanned}) cudaFree(p);
    return got == want ? 0 : 1;
}
