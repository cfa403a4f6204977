#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define BLOCK_SIZE 256

__global__ void maximum(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK_SIZE];
    int m = -2147483647;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) m = max(m, in[i]);
    s[threadIdx.x] = m;
    __syncthreads();
    for (int k = BLOCK_SIZE / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

int main()
{
    const int n = 1000, grid = 2;
    std::vector<int> h(n), r(grid);
    for (int i = 0; i < n; i++) h[i] = (i * 71) % 997;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, grid * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    maximum<<<grid, 128>>>(in, out, n);
    cudaMemcpy(r.data(), out, grid * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", r[0] > r[1] ? r[0] : r[1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
