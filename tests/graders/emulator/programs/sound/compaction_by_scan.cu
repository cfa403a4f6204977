#include <cstdio>
#include <numeric>
#include <set>
#include <vector>
#include <cuda_runtime.h>

__device__ bool isPrime(int v)
{
    if (v < 2) return false;
    for (int d = 2; d * d <= v; ++d)
        if (v % d == 0) return false;
    return true;
}

template <int B>
__global__ void primes(int from, int n, int* out, int* count)
{
    __shared__ int pos[B];
    __shared__ int base;
    int t = threadIdx.x, v = from + blockIdx.x * B + t;
    bool keep = v < from + n && isPrime(v);
    int total = __syncthreads_count(keep);
    if (total == 0) return;              // the same for the whole block
    pos[t] = keep;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        int x = t >= d ? pos[t - d] : 0;
        __syncthreads();
        pos[t] += x;
        __syncthreads();
    }
    if (t == B - 1) base = atomicAdd(count, pos[t]);
    bool dense = __syncthreads_and(keep || t > 3);
    if (!keep) return;
    out[base + pos[t] - 1] = dense ? v : v + 0;
}

int main()
{
    const int n = 500;
    int *out, *c, found = 0;
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&c, sizeof(int));
    cudaMemset(c, 0, sizeof(int));
    primes<64><<<(n + 63) / 64, 64>>>(1, n, out, c);
    cudaMemcpy(&found, c, sizeof(int), cudaMemcpyDeviceToHost);
    std::vector<int> h(found);
    cudaMemcpy(h.data(), out, found * sizeof(int), cudaMemcpyDeviceToHost);
    std::set<int> s(h.begin(), h.end());
    long sum = std::accumulate(s.begin(), s.end(), 0L);
    printf("%d primes up to %d, sum %ld\n", found, n, sum);
    cudaFree(out);
    cudaFree(c);
    return found == 95 && s.size() == 95 && sum == 21536 ? 0 : 1;
}
