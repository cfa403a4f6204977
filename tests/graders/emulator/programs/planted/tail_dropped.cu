#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <class T>
__global__ void negateInPlace(T* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = -x[i];
}

int main()
{
    const int n = 1124, block = 256;
    std::vector<short> h(n);
    for (int i = 0; i < n; i++) h[i] = short(i + 1);
    short* d;
    cudaMalloc(&d, n * sizeof(short));
    cudaMemcpy(d, h.data(), n * sizeof(short), cudaMemcpyHostToDevice);
    negateInPlace<<<n / block, block>>>(d, n);
    cudaMemcpy(h.data(), d, n * sizeof(short), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += h[i] != -(i + 1);
    printf("%d bad\n", bad);
    cudaFree(d);
    return bad ? 1 : 0;
}
