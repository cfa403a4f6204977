#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

constexpr int K = 3;
__constant__ float centres[K];

__global__ void accumulate(const float* x, int n, int* label, float* sums, int* counts)
{
    __shared__ float localSum[K];
    __shared__ int localCount[K];
    if (threadIdx.x < K) {
        localSum[threadIdx.x] = 0.f;
        localCount[threadIdx.x] = 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int best = 0;
        for (int k = 1; k < K; ++k)
            if (fabsf(x[i] - centres[k]) < fabsf(x[i] - centres[best])) best = k;
        label[i] = best;
        atomicAdd(&localSum[best], x[i]);
        atomicAdd(&localCount[best], 1);
    }
    __syncthreads();
    if (threadIdx.x < K) {
        atomicAdd(&sums[threadIdx.x], localSum[threadIdx.x]);
        atomicAdd(&counts[threadIdx.x], localCount[threadIdx.x]);
    }
}

int main()
{
    const int n = 400;
    std::vector<float> x(n);
    for (int i = 0; i < n; ++i) x[i] = (i % 3) * 50.f + (i * 7 % 11);
    float c[K] = {1.f, 20.f, 60.f}, sums[K], *dx, *ds;
    int counts[K], *dl, *dc;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dl, n * sizeof(int));
    cudaMalloc(&ds, sizeof sums);
    cudaMalloc(&dc, sizeof counts);
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int round = 0; round < 8; ++round) {
        cudaMemcpyToSymbol(centres, c, sizeof c);
        cudaMemset(ds, 0, sizeof sums);
        cudaMemset(dc, 0, sizeof counts);
        accumulate<<<(n + 95) / 96, 96>>>(dx, n, dl, ds, dc);
        cudaMemcpy(sums, ds, sizeof sums, cudaMemcpyDeviceToHost);
        cudaMemcpy(counts, dc, sizeof counts, cudaMemcpyDeviceToHost);
        for (int k = 0; k < K; ++k)
            if (counts[k]) c[k] = sums[k] / counts[k];
    }
    std::vector<int> label(n);
    cudaMemcpy(label.data(), dl, n * sizeof(int), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; ++i) bad += label[i] != i % 3;
    std::cout << c[0] << " " << c[1] << " " << c[2] << ", bad labels " << bad << "\n";
    cudaFree(dx);
    cudaFree(dl);
    cudaFree(ds);
    cudaFree(dc);
    return bad != 0;
}
