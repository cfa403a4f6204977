#include <iostream>
#include <cuda_runtime.h>

__global__ void fill(int *a, int value)
{
    a[threadIdx.x] = value + threadIdx.x;
}

int main()
{
    const int N = 32;
    int *a;
    int h[N];
    cudaMalloc(&a, N * sizeof(int));
    fill<<<1, N>>>(a, 100);
    cudaDeviceSynchronize();
    cudaMemcpy(h, a, N * sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << "first: " << h[0] << " last: " << a[N - 1] << std::endl;
    cudaFree(a);
    return 0;
}
