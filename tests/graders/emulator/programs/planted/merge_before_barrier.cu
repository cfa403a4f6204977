#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BINS 64

__global__ void histo(const unsigned char *in, int n, unsigned int *out)
{
    __shared__ unsigned int bins[BINS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    while (i < n) {
        atomicAdd(&bins[in[i] >> 2], 1);
        i += stride;
    }
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

int main(void)
{
    int n = 3000, lost = 3000;
    unsigned char *h = (unsigned char *)malloc(n), *d;
    unsigned int r[BINS], *bins;
    for (int i = 0; i < n; i++) h[i] = (unsigned char)(i * 11);
    cudaMalloc((void **)&d, n);
    cudaMalloc((void **)&bins, sizeof r);
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof r);
    histo<<<4, BINS>>>(d, n, bins);
    cudaMemcpy(r, bins, sizeof r, cudaMemcpyDeviceToHost);
    for (int b = 0; b < BINS; b++) lost -= r[b];
    printf("%d lost\n", lost);
    cudaFree(d);
    cudaFree(bins);
    free(h);
    return lost != 0;
}
