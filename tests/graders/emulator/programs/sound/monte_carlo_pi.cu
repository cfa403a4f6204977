#include <cstdio>
#include <cuda_runtime.h>

using u64 = unsigned long long;

struct Lcg {
    u64 state;
    __host__ __device__ explicit Lcg(u64 seed) : state(seed * 2862933555777941757ull + 3037000493ull) {}
    __host__ __device__ float next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (state >> 40) * (1.0f / 16777216.0f);
    }
};

__host__ __device__ u64 throwDarts(u64 seed, int count)
{
    Lcg rng(seed);
    u64 hits = 0;
    for (int i = 0; i < count; ++i) {
        float x = rng.next(), y = rng.next();
        if (x * x + y * y < 1.0f) ++hits;
    }
    return hits;
}

__global__ void darts(int perThread, u64* total)
{
    __shared__ u64 sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    u64 mine = throwDarts(blockIdx.x * blockDim.x + threadIdx.x, perThread);
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

int main()
{
    const int grid = 4, block = 64, per = 50;
    u64 *d, hits = 0, ref = 0;
    cudaMalloc(&d, sizeof(u64));
    cudaMemset(d, 0, sizeof(u64));
    darts<<<grid, block>>>(per, d);
    cudaMemcpy(&hits, d, sizeof hits, cudaMemcpyDeviceToHost);
    for (int t = 0; t < grid * block; ++t) ref += throwDarts(t, per);
    double pi = 4.0 * hits / (double(grid) * block * per);
    printf("pi is about %.3f (%llu hits, %llu on the host)\n", pi, hits, ref);
    cudaFree(d);
    long long diff = (long long)(hits - ref);
    return pi > 2.9 && pi < 3.4 && diff > -4 && diff < 4 ? 0 : 1;
}
