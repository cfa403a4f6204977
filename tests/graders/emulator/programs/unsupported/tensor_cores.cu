#include <cstdio>
#include <vector>
#include <mma.h>
#include <cuda_fp16.h>

using namespace nvcuda;

// one warp multiplies two 16 x 16 matrices
__global__ void gemm16(const half* a, const half* b, float* c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

int main()
{
    std::vector<half> h(256, __float2half(1.0f));
    std::vector<float> r(256);
    half *a, *b;
    float* c;
    cudaMalloc(&a, 512);
    cudaMalloc(&b, 512);
    cudaMalloc(&c, 1024);
    cudaMemcpy(a, h.data(), 512, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h.data(), 512, cudaMemcpyHostToDevice);
    gemm16<<<1, 32>>>(a, b, c);
    cudaMemcpy(r.data(), c, 1024, cudaMemcpyDeviceToHost);
    printf("%f\n", r[0]);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return r[0] != 16.0f;
}
