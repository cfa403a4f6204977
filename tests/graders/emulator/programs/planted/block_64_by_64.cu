#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__global__ void addMatrices(const float* a, const float* b, float* c, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) c[y * w + x] = a[y * w + x] + b[y * w + x];
}

int main()
{
    const int w = 100, h = 80;
    const size_t bytes = w * h * sizeof(float);
    std::vector<float> a(w * h, 1.f), b(w * h, 2.f), c(w * h, 0.f);
    float *da, *db, *dc;
    cudaMalloc(&da, bytes);
    cudaMalloc(&db, bytes);
    cudaMalloc(&dc, bytes);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(64, 64);
    dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    addMatrices<<<grid, block>>>(da, db, dc, w, h);
    cudaError_t err = cudaGetLastError();
    int status = 0;
    if (err != cudaSuccess) {
        std::cerr << "kernel launch failed: " << cudaGetErrorString(err) << std::endl;
        status = 1;
    } else {
        cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
        for (float v : c) if (v != 3.f) status = 2;
    }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return status;
}
