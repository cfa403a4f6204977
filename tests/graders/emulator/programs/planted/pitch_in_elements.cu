#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define SAFE(x) { cudaError_t e_ = x; if (e_ != cudaSuccess) { printf("cuda error %d in line %d\n", (int)e_, __LINE__); return 1; } }

__global__ void scale(float *img, size_t pitch, int width, int height, float f)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        img[y * pitch + x] *= f;
}

int main()
{
    const int W = 60, H = 40;
    float *host = (float *)malloc(W * H * sizeof(float));
    for (int i = 0; i < W * H; i++) host[i] = (float)i;
    float *dev;
    size_t pitch;
    SAFE(cudaMallocPitch((void **)&dev, &pitch, W * sizeof(float), H));
    SAFE(cudaMemcpy2D(dev, pitch, host, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    scale<<<dim3((W + 15) / 16, (H + 15) / 16), dim3(16, 16)>>>(dev, pitch, W, H, 2.0f);
    SAFE(cudaGetLastError());
    SAFE(cudaMemcpy2D(host, W * sizeof(float), dev, pitch, W * sizeof(float), H, cudaMemcpyDeviceToHost));
    printf("%g %g\n", host[W + 1], host[(H - 1) * W + 3]);
    SAFE(cudaFree(dev));
    free(host);
    return 0;
}
