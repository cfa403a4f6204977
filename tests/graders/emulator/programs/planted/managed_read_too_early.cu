#include <iostream>
#include <cuda_runtime.h>

__global__ void fibonacciLike(long long *f, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        long long a = 1, b = i;
        for (int k = 0; k < 20; ++k) {
            long long c = (a + b) % 1000003;
            a = b;
            b = c;
        }
        f[i] = b;
    }
}

int main()
{
    const int n = 64;
    long long *f;
    cudaMallocManaged(&f, n * sizeof(long long));
    for (int i = 0; i < n; ++i) f[i] = 0;
    fibonacciLike<<<1, 64>>>(f, n);
    long long sum = 0;
    for (int i = 0; i < n; ++i) sum += f[i];
    std::cout << "checksum " << sum << std::endl;
    cudaDeviceSynchronize();
    cudaFree(f);
    return 0;
}
