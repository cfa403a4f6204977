#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

using Key = unsigned;

__device__ __forceinline__ void cmpSwap(Key& a, Key& b, bool up)
{
    if ((a > b) == up) {
        Key t = a;
        a = b;
        b = t;
    }
}

// sorts 2*blockDim.x keys that fit into one block
__global__ void sortInShared(Key* keys)
{
    extern __shared__ Key k[];
    unsigned t = threadIdx.x, m = 2 * blockDim.x;
    k[t] = keys[t];
    k[t + blockDim.x] = keys[t + blockDim.x];
    for (unsigned size = 2; size <= m; size <<= 1) {
        bool up = (t & (size / 2)) == 0;
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * t - (t & (stride - 1));
            cmpSwap(k[pos], k[pos + stride], up);
        }
    }
    __syncthreads();
    keys[t] = k[t];
    keys[t + blockDim.x] = k[t + blockDim.x];
}

// one step of a global sort, one thread an element
__global__ void bitonicStep(Key* keys, int j, int k)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned partner = i ^ j;
    if (partner > i) cmpSwap(keys[i], keys[partner], (i & k) == 0);
}

int main()
{
    const int small = 256, large = 512;
    std::vector<Key> h(large);
    unsigned s = 2463534242u;
    for (auto& v : h) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        v = s % 10000;
    }
    Key* d;
    cudaMalloc(&d, large * sizeof(Key));

    std::vector<Key> r(small);
    cudaMemcpy(d, h.data(), small * sizeof(Key), cudaMemcpyHostToDevice);
    sortInShared<<<1, small / 2, small * sizeof(Key)>>>(d);
    cudaMemcpy(r.data(), d, small * sizeof(Key), cudaMemcpyDeviceToHost);
    std::vector<Key> want(h.begin(), h.begin() + small);
    std::sort(want.begin(), want.end());
    bool ok = r == want;

    cudaMemcpy(d, h.data(), large * sizeof(Key), cudaMemcpyHostToDevice);
    for (int k = 2; k <= large; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) bitonicStep<<<large / 64, 64>>>(d, j, k);
    r.resize(large);
    cudaMemcpy(r.data(), d, large * sizeof(Key), cudaMemcpyDeviceToHost);
    std::sort(h.begin(), h.end());
    bool ok2 = r == h;
    std::printf("shared %s, global %s\n", ok ? "sorted" : "NOT sorted", ok2 ? "sorted" : "NOT sorted");
    cudaFree(d);
    return ok && ok2 ? 0 : 1;
}
