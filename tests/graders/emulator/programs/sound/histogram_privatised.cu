#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define BINS 32

__global__ void hist(const unsigned char *data, int n, unsigned int *bins)
{
    __shared__ unsigned int local[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0u;
    __syncthreads();

    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&local[data[i] / 8], 1u);
    __syncthreads();

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (local[b]) atomicAdd(bins + b, local[b]);
}

int main()
{
    const char *text = "It was a bright cold day and every clock in the town struck thirteen, as told by nobody in particular.";
    int n = (int)strlen(text);
    unsigned char *d_text;
    unsigned int *d_bins, h_bins[BINS], ref[BINS] = {0};
    cudaMalloc(&d_text, n);
    cudaMalloc(&d_bins, sizeof h_bins);
    cudaMemcpy(d_text, text, n, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, sizeof h_bins);
    hist<<<3, 48>>>(d_text, n, d_bins);
    cudaMemcpy(h_bins, d_bins, sizeof h_bins, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) ref[(unsigned char)text[i] / 8]++;
    for (int b = 0; b < BINS; b++) {
        if (ref[b] != h_bins[b]) wrong = 1;
        if (h_bins[b]) printf("[%3d..%3d] %u\n", b * 8, b * 8 + 7, h_bins[b]);
    }
    cudaFree(d_text);
    cudaFree(d_bins);
    return wrong;
}
