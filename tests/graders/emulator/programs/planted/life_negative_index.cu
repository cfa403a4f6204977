#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// 1 generation of Conway's Game of Life
__global__ void step(const unsigned char* board, unsigned char* next, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w - 1 || y >= h - 1) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy)
                alive += board[(y + dy) * w + x + dx];
    next[y * w + x] = alive == 3 || (alive == 2 && board[y * w + x]);
}

int main()
{
    int w = 32, h = 24;
    std::vector<unsigned char> b(w * h, 0);
    b[5 * w + 5] = b[5 * w + 6] = b[5 * w + 7] = 1;
    unsigned char *d0, *d1;
    cudaMalloc(&d0, w * h);
    cudaMalloc(&d1, w * h);
    cudaMemset(d1, 0, w * h);
    cudaMemcpy(d0, b.data(), w * h, cudaMemcpyHostToDevice);
    dim3 block(8, 8), grid((w + 7) / 8, (h + 7) / 8);
    step<<<grid, block>>>(d0, d1, w, h);
    cudaMemcpy(b.data(), d1, w * h, cudaMemcpyDeviceToHost);
    for (int y = 0; y < 10; ++y, puts(""))
        for (int x = 0; x < 12; ++x) putchar(b[y * w + x] ? '#' : '.');
    cudaFree(d0);
    cudaFree(d1);
}
