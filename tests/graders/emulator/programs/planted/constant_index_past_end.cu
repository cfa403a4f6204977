#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define TAPS 5
__constant__ int filter[TAPS] = {1, 4, 6, 4, 1};

__global__ void fir(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + TAPS >= n) return;
    int s = 0;
    for (int k = 0; k <= TAPS; k++)
        s += filter[k] * x[i + k];
    y[i] = s;
}

int main()
{
    const int n = 133;
    std::vector<int> x(n, 2), y(n);
    int *dx, *dy;
    cudaMalloc(&dx, n * sizeof(int));
    cudaMalloc(&dy, n * sizeof(int));
    cudaMemset(dy, 0, n * sizeof(int));
    cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    fir<<<3, 64>>>(dx, dy, n);
    cudaMemcpy(y.data(), dy, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", y[0]);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
