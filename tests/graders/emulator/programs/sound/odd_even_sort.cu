#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void sortBlock(int* data, int n, int* rounds)
{
    extern __shared__ int s[];
    const int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) s[i] = data[i];
    int swapped, r = 0;
    __syncthreads();
    do {
        swapped = 0;
        for (int phase = 0; phase < 2; ++phase) {
            const int i = 2 * t + phase;
            if (i + 1 < n && s[i] > s[i + 1]) {
                const int x = s[i];
                s[i] = s[i + 1];
                s[i + 1] = x;
                swapped = 1;
            }
            __syncthreads();
        }
        ++r;
    } while (__syncthreads_or(swapped));
    for (int i = t; i < n; i += blockDim.x) data[i] = s[i];
    if (t == 0) *rounds = r;
}

__global__ void phaseStep(int* data, int n, int phase)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
    if (i + 1 < n && data[i] > data[i + 1]) {
        int x = data[i];
        data[i] = data[i + 1];
        data[i + 1] = x;
    }
}

int main()
{
    const int n = 75;
    std::vector<int> h(n), a(n), b(n);
    for (int i = 0; i < n; ++i) h[i] = (i * 48271) % 557;
    int *d, *rounds, r = 0;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&rounds, sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sortBlock<<<1, 40, n * sizeof(int)>>>(d, n, rounds);
    cudaMemcpy(a.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&r, rounds, sizeof(int), cudaMemcpyDeviceToHost);

    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int p = 0; p < n; ++p) phaseStep<<<2, 20>>>(d, n, p % 2);
    cudaMemcpy(b.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::sort(h.begin(), h.end());
    printf("%d rounds, %s %s\n", r, a == h ? "ok" : "bad", b == h ? "ok" : "bad");
    cudaFree(d);
    cudaFree(rounds);
    return !(a == h && b == h);
}
