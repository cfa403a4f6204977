#include <cstdio>
#include <utility>
#include <cuda_runtime.h>

template <typename T> struct Wrap { using type = T; };

template <typename W>
__global__ void put(typename W::type* out, int v)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

template <typename A, int K>
__global__ void addShifted(int* out, A a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += int(a) << K;
}

__global__ void noArguments() { }

int main()
{
    const int n = 512;
    static int h[n];
    int *d, bad = 0;
    cudaMalloc(&d, n * sizeof(int));
    unsigned lines = 3;
    lines <<= 1;                       // not a launch
    noArguments<<<1, 1>>>();
    put<Wrap<int>><<<n >> 6, 1 << 6>>>(d, 1 << 3);
    addShifted<short, 2> <<< (n + 127) / 128 , 128 >>> (d, (short)5, n);
    addShifted<std::pair<int, int>::first_type, 1><<<dim3((unsigned)n >> 7), dim3(128, 1), 0>>>(d, 64 >> 2, n > 100 ? 100 : n);
    const dim3 g(4), b(128);
    addShifted<int, 0>
        <<<g, b,
           0,                          // no dynamic shared memory
           cudaStreamLegacy>>>(
            d,
            /* a = */ 3,
            n);
    if (n > 1000) put<Wrap<int>><<<1, 1>>>(d, -1);
    cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) bad += h[i] != 8 + (5 << 2) + (i < 100 ? 16 << 1 : 0) + 3;
    printf("%d bad, %u lines, \"<<<1, 1>>>\" printed\n", bad, lines);
    cudaFree(d);
    return bad;
}
