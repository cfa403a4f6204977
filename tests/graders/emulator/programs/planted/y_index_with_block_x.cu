#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void gradient(float *img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.x + threadIdx.y;
    if (x < w && y < h) img[y * w + x] = (float)x / w + (float)y / h;
}

int main()
{
    const int w = 64, h = 32;
    float *img = (float *)malloc(w * h * sizeof(float)), *d;
    cudaMalloc(&d, w * h * sizeof(float));
    dim3 block(16, 4), grid(w / 16, h / 4);
    gradient<<<grid, block>>>(d, w, h);
    cudaMemcpy(img, d, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < w * h; i++) sum += img[i];
    printf("mean %f\n", sum / (w * h));
    cudaFree(d);
    free(img);
    return 0;
}
