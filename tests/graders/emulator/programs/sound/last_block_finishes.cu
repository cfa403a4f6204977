#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// Sum in a single launch: the block that arrives last adds up the partial sums of all.
__device__ unsigned int arrived = 0;

__global__ void sumOnce(const float* x, int n, volatile float* partial, float* total)
{
    __shared__ float sh[64];
    __shared__ bool iAmLast;
    int t = threadIdx.x;
    float s = 0.f;
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) s += x[i];
    sh[t] = s;
    __syncthreads();
    for (int k = 32; k; k >>= 1) {
        if (t < k) sh[t] += sh[t + k];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = sh[0];
        __threadfence();
        unsigned int ticket = atomicInc(&arrived, gridDim.x);
        iAmLast = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    if (iAmLast) {
        float v = 0.f;
        for (int b = t; b < gridDim.x; b += 64) v += partial[b];
        sh[t] = v;
        __syncthreads();
        for (int k = 32; k; k >>= 1) {
            if (t < k) sh[t] += sh[t + k];
            __syncthreads();
        }
        if (t == 0) {
            *total = sh[0];
            arrived = 0;
        }
    }
}

int main()
{
    const int n = 4000, grid = 12;
    std::vector<float> h(n);
    double ref = 0;
    for (int i = 0; i < n; i++) {
        h[i] = (float)((i * 13) % 29) / 4.f;
        ref += h[i];
    }
    float *x, *p, *tot, got[2];
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&p, grid * sizeof(float));
    cudaMalloc(&tot, sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    // twice, to see that the counter is left ready for the next launch
    for (int r = 0; r < 2; r++) {
        sumOnce<<<grid, 64>>>(x, n, p, tot);
        cudaMemcpy(&got[r], tot, sizeof(float), cudaMemcpyDeviceToHost);
    }
    printf("%.2f %.2f ref %.2f\n", got[0], got[1], ref);
    cudaFree(x);
    cudaFree(p);
    cudaFree(tot);
    for (int r = 0; r < 2; r++)
        if (got[r] < ref - 0.5 || got[r] > ref + 0.5) return 1;
    return 0;
}
