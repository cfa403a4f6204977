#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// Sum and maximum of a ragged array: the last warp is only partly filled.
__global__ void stats(const int* x, int n, int* sum, int* maximum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % warpSize;
    const unsigned mask = __ballot_sync(0xffffffffu, i < n);
    if (i < n) {
        const int count = __popc(mask);      // the valid lanes are 0 .. count - 1
        int s = x[i], m = x[i];
        for (int off = 16; off > 0; off >>= 1) {
            const int from = lane + off < count ? lane + off : lane;
            const int s2 = __shfl_sync(mask, s, from);
            const int m2 = __shfl_sync(mask, m, from);
            if (from != lane) s += s2;
            m = max(m, m2);
        }
        if (lane == 0) {
            atomicAdd(sum, s);
            atomicMax(maximum, m);
        }
    }
}

// eight lanes form a team of their own
__global__ void octets(const int* x, int* out)
{
    int v = x[threadIdx.x];
    for (int d = 4; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d, 8);
    if (threadIdx.x % 8 == 0) out[threadIdx.x / 8] = v;
}

int main()
{
    const int n = 301;
    std::vector<int> h(n);
    int want = 0, top = -1000;
    for (int i = 0; i < n; ++i) {
        h[i] = (i * 53) % 211 - 100;
        want += h[i];
        top = std::max(top, h[i]);
    }
    int *x, *r, got[2] = {0, -1000}, team[8];
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&r, 8 * sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(r, got, sizeof got, cudaMemcpyHostToDevice);
    stats<<<3, 128>>>(x, n, r, r + 1);
    cudaMemcpy(got, r, sizeof got, cudaMemcpyDeviceToHost);
    bool ok = got[0] == want && got[1] == top;

    octets<<<1, 64>>>(x, r);
    cudaMemcpy(team, r, sizeof team, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 8; ++t) {
        int s = 0;
        for (int k = 0; k < 8; ++k) s += h[8 * t + k];
        ok = ok && s == team[t];
    }
    std::printf("sum %d (%d) max %d (%d) %s\n", got[0], want, got[1], top, ok ? "ok" : "bad");
    cudaFree(x);
    cudaFree(r);
    return !ok;
}
