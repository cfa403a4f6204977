#include <cstdio>
#include <cuda_runtime.h>

struct Stats {
    int hits;
    int misses;
};

__global__ void shoot(const float2* p, int n, Stats* st)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (p[i].x * p[i].x + p[i].y * p[i].y <= 1.f)
        atomicAdd(&st->hits, 1);
    else
        atomicAdd(&st->misses, 1);
}

int main()
{
    const int n = 200;
    float2 h[n];
    for (int i = 0; i < n; ++i) h[i] = make_float2((i % 20) / 20.f, (i / 20) / 10.f);
    Stats stats = {0, 0};
    float2* d;
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    shoot<<<2, 100>>>(d, n, &stats);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s: %d hits, %d misses\n", cudaGetErrorName(e), stats.hits, stats.misses);
    cudaFree(d);
    return e != cudaSuccess;
}
