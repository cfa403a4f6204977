#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__host__ __device__ constexpr int roundUp(int v, int to) { return (v + to - 1) / to * to; }
#define WARPS(n) ((n) / 32)

struct Bucket {
    int items[4];
    int used;
};

template <int N>
struct Layout {
    static constexpr int pitch = N + 1;
    using row = float[pitch];
};

__device__ void fillFrom(int* target, const int* source, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) target[i] = source[i];
}

__device__ int sumOf(const int (&a)[roundUp(50, 16)])
{
    int s = 0;
    for (int v : a) s += v;
    return s;
}

template <int THREADS>
__global__ void mixed(const int* in, int* out, int n)
{
    __shared__ int padded[roundUp(50, 16)], warpMax[WARPS(THREADS)], total;
    __shared__ volatile unsigned char flags[sizeof(Bucket)];
    __shared__ Bucket bucket[3];
    __shared__ typename Layout<8>::row grid[8];
    const int t = threadIdx.x;

    fillFrom(padded, in, n);
    for (int i = n + t; i < roundUp(50, 16); i += THREADS) padded[i] = 0;
    if (t < sizeof(Bucket)) flags[t] = t % 2;
    if (t < 3) bucket[t].used = 0;
    if (t < 64) grid[t / 8][t % 8] = t;
    __syncthreads();

    Bucket& mine = bucket[t % 3];
    if (t < 12) {
        int slot = atomicAdd(&mine.used, 1);
        mine.items[slot] = t;
    }
    int m = padded[t % n];
    for (int d = 16; d; d /= 2) m = max(m, __shfl_xor_sync(0xffffffffu, m, d));
    if (t % 32 == 0) warpMax[t / 32] = m;
    if (t == 0) total = sumOf(padded);
    __syncthreads();

    if (t == 0) {
        int best = warpMax[0], items = 0, odd = 0;
        for (int w = 1; w < WARPS(THREADS); ++w) best = max(best, warpMax[w]);
        for (int b = 0; b < 3; ++b)
            for (int k = 0; k < bucket[b].used; ++k) items += bucket[b].items[k];
        for (unsigned k = 0; k < sizeof(Bucket); ++k) odd += flags[k];
        out[0] = total;
        out[1] = best;
        out[2] = items;
        out[3] = odd;
    }
    for (int pass = 0; pass < 2; ++pass) {
        __shared__ float column[8];
        if (t < 8) {
            float s = 0;
            for (int r = 0; r < 8; ++r) s += pass ? grid[t][r] : grid[r][t];
            column[t] = s;
        }
        __syncthreads();
        if (t == 0) out[4 + pass] = (int)(column[7] - column[0]);
        __syncthreads();
    }
}

int main()
{
    const int n = 50;
    std::vector<int> h(n);
    int sum = 0, top = 0, r[6], *in, *out;
    for (int i = 0; i < n; ++i) {
        h[i] = (i * 29) % 97;
        sum += h[i];
        top = h[i] > top ? h[i] : top;
    }
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    mixed<96><<<1, 96>>>(in, out, n);
    cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
    const int want[6] = {sum, top, 66, 10, 56, 448};
    int bad = 0;
    for (int k = 0; k < 6; ++k) {
        printf("%d %d\n", r[k], want[k]);
        bad += r[k] != want[k];
    }
    cudaFree(in);
    cudaFree(out);
    return bad;
}
