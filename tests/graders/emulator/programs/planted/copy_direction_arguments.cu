#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned char byte;

__global__ void invert(byte *img, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) img[i] = 255 - img[i];
}

int main()
{
    const int n = 32 * 32;
    byte *img = (byte *)malloc(n);
    for (int i = 0; i < n; i++) img[i] = i & 0xff;
    byte *d;
    cudaMalloc(&d, n);
    cudaMemcpy(d, img, n, cudaMemcpyHostToDevice);
    invert<<<n / 128, 128>>>(d, n);
    cudaMemcpy(d, img, n, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += img[i] != (byte)(255 - (i & 0xff));
    printf("%d pixels wrong\n", wrong);
    cudaFree(d);
    free(img);
    return wrong ? 1 : 0;
}
