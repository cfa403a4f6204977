#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__global__ void collatz(const unsigned* start, unsigned short* steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = start[i];
    unsigned short k = 0;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v >> 1;
        ++k;
    }
    steps[i] = k;
}

int main()
{
    const int n = 256;
    std::vector<unsigned> s(n);
    std::vector<unsigned short> k(n);
    for (int i = 0; i < n; ++i) s[i] = i + 1;
    cudaStream_t st;
    cudaStreamCreate(&st);
    cudaEvent_t ev;
    cudaEventCreate(&ev);
    unsigned* ds;
    unsigned short* dk;
    if (cudaMallocAsync(&ds, n * sizeof(unsigned), st) != cudaSuccess) return 1;
    if (cudaMallocAsync(&dk, n * sizeof(unsigned short), st) != cudaSuccess) return 1;
    cudaMemcpyAsync(ds, s.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice, st);
    collatz<<<n / 64, 64, 0, st>>>(ds, dk, n);
    cudaMemcpyAsync(k.data(), dk, n * sizeof(unsigned short), cudaMemcpyDeviceToHost, st);
    cudaFreeAsync(ds, st);
    cudaFreeAsync(dk, st);
    cudaEventRecord(ev, st);
    while (cudaEventQuery(ev) == cudaErrorNotReady) { }
    bool idle = cudaStreamQuery(st) == cudaSuccess;
    cudaStreamSynchronize(st);
    int bad = 0;
    for (int i = 0; i < n; ++i) {
        unsigned long long v = s[i];
        int c = 0;
        for (; v != 1; ++c) v = v % 2 ? 3 * v + 1 : v / 2;
        bad += c != k[i];
    }
    std::cout << "27 needs " << k[26] << " steps, " << bad << " bad, idle " << idle << "\n";
    cudaEventDestroy(ev);
    cudaStreamDestroy(st);
    return bad;
}
