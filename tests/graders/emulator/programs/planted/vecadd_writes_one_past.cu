#include <stdio.h>
#include <stdlib.h>

__global__ void vecAdd(float *a, float *b, float *c, int n)
{
    int id = blockIdx.x*blockDim.x+threadIdx.x;
    if (id <= n)
        c[id] = a[id] + b[id];
}

int main( int argc, char* argv[] )
{
    int n = 300;
    size_t bytes = n*sizeof(float);
    float *h_a = (float*)malloc(bytes);
    float *h_b = (float*)malloc(bytes);
    float *h_c = (float*)malloc(bytes);
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_c, bytes);
    for (int i = 0; i < n; i++) { h_a[i] = 0.5f; h_b[i] = i; }
    cudaMemcpy( d_a, h_a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy( d_b, h_b, bytes, cudaMemcpyHostToDevice);
    int blockSize = 128;
    int gridSize = (n + blockSize - 1) / blockSize;
    vecAdd<<<gridSize, blockSize>>>(d_a, d_b, d_c, n);
    cudaMemcpy( h_c, d_c, bytes, cudaMemcpyDeviceToHost );
    float sum = 0;
    for (int i = 0; i < n; i++) sum += h_c[i];
    printf("final result: %f\n", sum/n);
    cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);
    free(h_a); free(h_b); free(h_c);
    return 0;
}
