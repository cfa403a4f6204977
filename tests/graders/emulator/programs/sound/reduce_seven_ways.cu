// Seven ways to add up an array of ints on the GPU, each a little better than the one before.
#include <cstdio>
#include <vector>
#include <numeric>
#include <cuda_runtime.h>

constexpr int B = 128;

__global__ void r1_modulo(const int* in, int* out, int n)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x, i = blockIdx.x * B + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < B; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (!t) out[blockIdx.x] = s[0];
}

__global__ void r2_strided_index(const int* in, int* out, int n)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x, i = blockIdx.x * B + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < B; d *= 2) {
        unsigned k = 2 * d * t;
        if (k < B) s[k] += s[k + d];
        __syncthreads();
    }
    if (!t) out[blockIdx.x] = s[0];
}

__global__ void r3_sequential(const int* in, int* out, int n)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x, i = blockIdx.x * B + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned d = B / 2; d; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (!t) out[blockIdx.x] = s[0];
}

__global__ void r4_two_loads(const int* in, int* out, int n)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x, i = blockIdx.x * (2 * B) + t;
    int v = i < n ? in[i] : 0;
    if (i + B < n) v += in[i + B];
    s[t] = v;
    __syncthreads();
    for (unsigned d = B / 2; d; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (!t) out[blockIdx.x] = s[0];
}

__device__ int warpSumShared(int* s, unsigned t)
{
    int v = s[t] + s[t + 32];
    s[t] = v;
    __syncwarp();
    for (int d = 16; d; d /= 2) {
        v += s[t + d];
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
    return v;
}

__global__ void r5_last_warp(const int* in, int* out, int n)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x, i = blockIdx.x * (2 * B) + t;
    s[t] = (i < n ? in[i] : 0) + (i + B < n ? in[i + B] : 0);
    __syncthreads();
    for (unsigned d = B / 2; d > 32; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        int v = warpSumShared(s, t);
        if (t == 0) out[blockIdx.x] = v;
    }
}

template <unsigned SIZE>
__global__ void r6_unrolled(const int* in, int* out, int n)
{
    __shared__ int s[SIZE];
    unsigned t = threadIdx.x, i = blockIdx.x * (2 * SIZE) + t;
    s[t] = (i < n ? in[i] : 0) + (i + SIZE < n ? in[i + SIZE] : 0);
    __syncthreads();
    if (SIZE >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if (SIZE >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
    if (SIZE >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
    if (t < 32) {
        int v = s[t];
        if (SIZE >= 64) v += s[t + 32];
        for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
        if (t == 0) out[blockIdx.x] = v;
    }
}

template <unsigned SIZE>
__global__ void r7_many_per_thread(const int* in, int* out, int n)
{
    __shared__ int s[SIZE / 32];
    unsigned t = threadIdx.x;
    int v = 0;
    for (unsigned i = blockIdx.x * SIZE + t; i < n; i += SIZE * gridDim.x) v += in[i];
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < SIZE / 32 ? s[t] : 0;
        for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
        if (t == 0) out[blockIdx.x] = v;
    }
}

int main()
{
    const int n = 3000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 31) % 97 - 40;
    const int want = std::accumulate(h.begin(), h.end(), 0);
    const int one = (n + B - 1) / B, two = (n + 2 * B - 1) / (2 * B);
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, one * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    int failures = 0;
    for (int which = 1; which <= 7; ++which) {
        int blocks = which <= 3 ? one : which == 7 ? 4 : two;
        switch (which) {
            case 1: r1_modulo<<<blocks, B>>>(in, out, n); break;
            case 2: r2_strided_index<<<blocks, B>>>(in, out, n); break;
            case 3: r3_sequential<<<blocks, B>>>(in, out, n); break;
            case 4: r4_two_loads<<<blocks, B>>>(in, out, n); break;
            case 5: r5_last_warp<<<blocks, B>>>(in, out, n); break;
            case 6: r6_unrolled<B><<<blocks, B>>>(in, out, n); break;
            case 7: r7_many_per_thread<B><<<blocks, B>>>(in, out, n); break;
        }
        std::vector<int> part(blocks);
        cudaMemcpy(part.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost);
        int got = std::accumulate(part.begin(), part.end(), 0);
        std::printf("kernel %d: %d %s\n", which, got, got == want ? "ok" : "WRONG");
        failures += got != want;
    }
    cudaFree(in);
    cudaFree(out);
    return failures;
}
