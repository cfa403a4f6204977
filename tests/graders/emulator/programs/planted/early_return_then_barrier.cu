#include <cassert>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__global__ void partial_sums(const int* data, int* sums, int n)
{
    extern __shared__ int scratch[];
    const int tid = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + tid;
    if (i >= n) return;
    scratch[tid] = data[i];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) scratch[tid] += scratch[tid + s];
        __syncthreads();
    }
    if (tid == 0) sums[blockIdx.x] = scratch[0];
}

int main()
{
    const int n = 300, block = 128, grid = (n + block - 1) / block;
    std::vector<int> data(n, 2), sums(grid, 0);
    int *d_data, *d_sums;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_sums, grid * sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    partial_sums<<<grid, block, block * sizeof(int)>>>(d_data, d_sums, n);
    assert(cudaGetLastError() == cudaSuccess);
    cudaMemcpy(sums.data(), d_sums, grid * sizeof(int), cudaMemcpyDeviceToHost);
    int total = 0;
    for (int s : sums) total += s;
    std::cout << "total " << total << " expected " << 2 * n << "\n";
    cudaFree(d_data);
    cudaFree(d_sums);
    return 0;
}
