#include <chrono>
#include <iostream>
#include <cuda_runtime.h>

__global__ void slow(unsigned* data, long long* ticks, int rounds)
{
    long long t0 = clock64();
    unsigned v = data[threadIdx.x];
    for (int i = 0; i < rounds; ++i) v = v * 1664525u + 1013904223u;
    data[threadIdx.x] = v;
    long long t1 = clock64();
    ticks[threadIdx.x] = t1 - t0;
}

int main()
{
    constexpr int n = 32, rounds = 100;
    unsigned h[n], *d;
    long long t[n], *dt;
    for (unsigned i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&dt, sizeof t);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    auto begin = std::chrono::high_resolution_clock::now();
    cudaEventRecord(a, 0);
    for (int k = 0; k < 3; ++k) slow<<<1, n>>>(d, dt, rounds);
    cudaEventRecord(b, 0);
    cudaEventSynchronize(b);
    auto end = std::chrono::high_resolution_clock::now();
    float ms = -1;
    cudaEventElapsedTime(&ms, a, b);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(t, dt, sizeof t, cudaMemcpyDeviceToHost);
    int bad = ms < 0;
    for (unsigned i = 0; i < n; ++i) {
        unsigned v = i;
        for (int k = 0; k < 3 * rounds; ++k) v = v * 1664525u + 1013904223u;
        bad += v != h[i] || t[i] < 0;
    }
    std::cout << "host: " << std::chrono::duration<double, std::milli>(end - begin).count() << " ms, events: " << ms
              << " ms, bad: " << bad << "\n";
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    cudaFree(d);
    cudaFree(dt);
    return bad;
}
