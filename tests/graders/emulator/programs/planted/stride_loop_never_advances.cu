#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__global__ void clampAll(float* v, int n, float lo, float hi)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int step = blockDim.x * gridDim.x;
    (void)step;
    while (i < n) {
        v[i] = fminf(fmaxf(v[i], lo), hi);
    }
}

int main()
{
    std::vector<float> v(300);
    for (int i = 0; i < 300; ++i) v[i] = i - 150.f;
    float* d;
    cudaMalloc(&d, v.size() * sizeof(float));
    cudaMemcpy(d, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    clampAll<<<2, 64>>>(d, 300, -10.f, 10.f);
    std::cout << cudaGetErrorString(cudaDeviceSynchronize()) << "\n";
    cudaMemcpy(v.data(), d, v.size() * sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << v[0] << " " << v[299] << "\n";
    cudaFree(d);
}
