#include <iostream>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned char cell;

__global__ void generation(const cell *__restrict__ now, cell *__restrict__ next, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int xl = (x + w - 1) % w, xr = (x + 1) % w, yu = (y + h - 1) % h, yd = (y + 1) % h;
    int n = now[yu * w + xl] + now[yu * w + x] + now[yu * w + xr] + now[y * w + xl] + now[y * w + xr]
            + now[yd * w + xl] + now[yd * w + x] + now[yd * w + xr];
    next[y * w + x] = (n == 3 || (n == 2 && now[y * w + x])) ? 1 : 0;
}

int main()
{
    const int w = 20, h = 12, steps = 16;
    std::vector<cell> board(w * h, 0), result(w * h);
    // a glider moves one cell down and one to the right in four generations
    int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (auto &g : glider) board[g[1] * w + g[0]] = 1;
    cell *a, *b;
    cudaMalloc(&a, w * h);
    cudaMalloc(&b, w * h);
    cudaMemcpy(a, board.data(), w * h, cudaMemcpyHostToDevice);
    dim3 block(8, 4), grid((w + 7) / 8, (h + 3) / 4);
    for (int s = 0; s < steps; s++) {
        generation<<<grid, block>>>(a, b, w, h);
        std::swap(a, b);
    }
    cudaMemcpy(result.data(), a, w * h, cudaMemcpyDeviceToHost);
    std::vector<cell> want(w * h, 0);
    for (auto &g : glider) want[(g[1] + steps / 4) % h * w + (g[0] + steps / 4) % w] = 1;
    std::cout << (result == want ? "glider arrived" : "glider lost") << std::endl;
    cudaFree(a);
    cudaFree(b);
    return result == want ? 0 : 1;
}
