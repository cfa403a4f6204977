#include <stdio.h>
#include <cuda_runtime.h>

#define W 9
#define H 8

__global__ void tile_copy(const float *src, float *dst)
{
    __shared__ float tile[H][W];
    int x = threadIdx.x, y = threadIdx.y;      /* block of 8 x 8 */
    tile[y][x] = src[y * W + x];
    __syncthreads();
    if (x == 0) {
        float row[W];
        for (int i = 0; i < W; i++) row[i] = tile[y][i];
        for (int i = 0; i < W; i++) dst[y * W + W - 1 - i] = row[i];
    }
}

int main(void)
{
    float h[W * H], r[W * H], *s, *d;
    for (int i = 0; i < W * H; i++) h[i] = i;
    cudaMalloc((void **)&s, sizeof h);
    cudaMalloc((void **)&d, sizeof h);
    cudaMemcpy(s, h, sizeof h, cudaMemcpyHostToDevice);
    tile_copy<<<1, dim3(8, 8)>>>(s, d);
    cudaMemcpy(r, d, sizeof r, cudaMemcpyDeviceToHost);
    printf("%g %g\n", r[0], r[1]);
    cudaFree(s);
    cudaFree(d);
    return 0;
}
