#include <iostream>
#include <cuda_runtime.h>

__constant__ float coeff[8];

__global__ void poly(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = 0.f;
    for (int k = 7; k >= 0; --k) r = r * x[i] + coeff[k];
    y[i] = r;
}

int main()
{
    float c[9] = {1, 0.5f, 0.25f, 0.125f, 0, 0, 0, 0, 1};
    float x[64], y[64], *dx, *dy;
    for (int i = 0; i < 64; ++i) x[i] = i / 64.f;
    cudaMemcpyToSymbol(coeff, c, sizeof(c));
    cudaMalloc(&dx, sizeof(x));
    cudaMalloc(&dy, sizeof(y));
    cudaMemcpy(dx, x, sizeof(x), cudaMemcpyHostToDevice);
    poly<<<2, 32>>>(dx, dy, 64);
    cudaMemcpy(y, dy, sizeof(y), cudaMemcpyDeviceToHost);
    std::cout << y[0] << " " << y[63] << "\n";
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
