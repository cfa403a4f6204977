#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void pack(const int* src, int* dst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i / 2] = src[i];
}

int main()
{
    const int n = 300;
    std::vector<int> h(n), r(n / 2);
    for (int i = 0; i < n; ++i) h[i] = i;
    int *s, *d;
    cudaMalloc(&s, n * sizeof(int));
    cudaMalloc(&d, n / 2 * sizeof(int));
    cudaMemcpy(s, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    pack<<<3, 100>>>(s, d, n);
    cudaMemcpy(r.data(), d, n / 2 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", r[0], r[1], r[2]);
    cudaFree(s);
    cudaFree(d);
    return 0;
}
