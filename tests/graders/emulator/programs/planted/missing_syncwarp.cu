#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void reduceLastWarpUnrolled(const int *g, int *out)
{
    __shared__ int s[64];
    int tid = threadIdx.x;
    s[tid] = g[blockIdx.x * 64 + tid];
    __syncthreads();
    if (tid < 32) {
        s[tid] += s[tid + 32];
        s[tid] += s[tid + 16];
        s[tid] += s[tid + 8];
        s[tid] += s[tid + 4];
        s[tid] += s[tid + 2];
        s[tid] += s[tid + 1];
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

int main()
{
    std::vector<int> h(256);
    int want = 0, got = 0;
    for (int i = 0; i < 256; i++) want += h[i] = i % 10;
    int *g, *o, part[4];
    cudaMalloc(&g, 256 * sizeof(int));
    cudaMalloc(&o, sizeof part);
    cudaMemcpy(g, h.data(), 256 * sizeof(int), cudaMemcpyHostToDevice);
    reduceLastWarpUnrolled<<<4, 64>>>(g, o);
    cudaMemcpy(part, o, sizeof part, cudaMemcpyDeviceToHost);
    for (int p : part) got += p;
    printf("%d / %d\n", got, want);
    cudaFree(g);
    cudaFree(o);
    return got != want;
}
