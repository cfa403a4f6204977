#include <cstdio>
#include <cuda/barrier>
#include <cuda_runtime.h>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void staged(const int* in, int* out)
{
    __shared__ int tile[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(tile + threadIdx.x, in + threadIdx.x, sizeof(int), bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main()
{
    int h[64], r[64], *a, *b;
    for (int i = 0; i < 64; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    staged<<<1, 64>>>(a, b);
    cudaMemcpy(r, b, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d %d\n", r[0], r[63]);
    cudaFree(a);
    cudaFree(b);
    return r[0] != 63;
}
