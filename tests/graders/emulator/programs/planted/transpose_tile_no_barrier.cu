#include <iostream>
#include <vector>
#include <cuda_runtime.h>

#define T 16

__global__ void transpose(const int *in, int *out, int n)
{
    __shared__ int tile[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    x = blockIdx.y * T + threadIdx.x;
    y = blockIdx.x * T + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int n = 48;
    std::vector<int> a(n * n), b(n * n);
    for (int i = 0; i < n * n; i++) a[i] = i;
    int *da, *db;
    cudaMalloc(&da, n * n * sizeof(int));
    cudaMalloc(&db, n * n * sizeof(int));
    cudaMemcpy(da, a.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
    transpose<<<dim3(n / T, n / T), dim3(T, T)>>>(da, db, n);
    cudaMemcpy(b.data(), db, n * n * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) wrong += b[x * n + y] != a[y * n + x];
    std::cout << wrong << " wrong\n";
    cudaFree(da);
    cudaFree(db);
    return wrong > 0;
}
