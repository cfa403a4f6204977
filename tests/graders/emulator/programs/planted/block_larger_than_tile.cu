#include <iostream>
#include <vector>
#include <cuda_runtime.h>

#define TILE_DIM 16

__global__ void copyThroughTile(const float *in, float *out, int w, int h)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    if (x < w && y < h)
        out[y * w + x] = tile[threadIdx.y][threadIdx.x];
}

int main()
{
    const int w = 64, h = 32;
    std::vector<float> v(w * h, 1.f);
    float *a, *b;
    cudaMalloc(&a, w * h * sizeof(float));
    cudaMalloc(&b, w * h * sizeof(float));
    cudaMemcpy(a, v.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(32, 32);
    copyThroughTile<<<dim3(w / 32, h / 32), block>>>(a, b, w, h);
    cudaMemcpy(v.data(), b, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << v[0] << std::endl;
    cudaFree(a);
    cudaFree(b);
    return 0;
}
