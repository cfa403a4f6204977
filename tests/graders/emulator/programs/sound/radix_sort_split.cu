#include <algorithm>
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

#define N 128
#define BITS 10

__global__ void radixSort(uint32_t *keys, uint8_t *payload)
{
    __shared__ uint32_t key[N];
    __shared__ uint8_t load[N];
    __shared__ int zeros[2][N];
    int t = threadIdx.x;
    key[t] = keys[t];
    load[t] = payload[t];
    __syncthreads();
    for (int bit = 0; bit < BITS; bit++) {
        uint32_t k = key[t];
        uint8_t p = load[t];
        int b = (k >> bit) & 1;
        int cur = 0;
        zeros[0][t] = !b;
        __syncthreads();
        for (int d = 1; d < N; d <<= 1) {
            int z = zeros[cur][t];
            if (t >= d) z += zeros[cur][t - d];
            zeros[cur ^ 1][t] = z;
            cur ^= 1;
            __syncthreads();
        }
        int total = zeros[cur][N - 1];
        int before = zeros[cur][t] - !b;       // zeros in front of me
        int pos = b ? total + t - before : before;
        key[pos] = k;
        load[pos] = p;
        __syncthreads();
    }
    keys[t] = key[t];
    payload[t] = load[t];
}

int main()
{
    std::vector<std::pair<uint32_t, uint8_t>> ref(N);
    uint32_t k[N];
    uint8_t p[N];
    for (int i = 0; i < N; i++) {
        k[i] = (i * 2654435761u >> 11) & ((1u << BITS) - 1);
        if (i % 4 == 3) k[i] = k[i - 1];        // equal keys: the sort must be stable
        p[i] = i;
        ref[i] = {k[i], p[i]};
    }
    uint32_t *dk;
    uint8_t *dp;
    cudaMalloc(&dk, sizeof k);
    cudaMalloc(&dp, sizeof p);
    cudaMemcpy(dk, k, sizeof k, cudaMemcpyHostToDevice);
    cudaMemcpy(dp, p, sizeof p, cudaMemcpyHostToDevice);
    radixSort<<<1, N>>>(dk, dp);
    cudaMemcpy(k, dk, sizeof k, cudaMemcpyDeviceToHost);
    cudaMemcpy(p, dp, sizeof p, cudaMemcpyDeviceToHost);
    std::stable_sort(ref.begin(), ref.end(), [](auto &a, auto &b) { return a.first < b.first; });
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += k[i] != ref[i].first || p[i] != ref[i].second;
    printf("radix: %d wrong\n", wrong);
    cudaFree(dk);
    cudaFree(dp);
    return wrong > 0;
}
