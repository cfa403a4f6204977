#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define NBINS 10

__global__ void histogram(const int *values, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bins[values[i] % NBINS]++;
}

int main(int argc, char **argv)
{
    int n = 1000, i, lost;
    int *values = (int *)malloc(n * sizeof(int)), bins[NBINS];
    for (i = 0; i < n; i++) values[i] = (i * 17 + 3) % 1000;
    int *d_values, *d_bins;
    cudaMalloc((void **)&d_values, n * sizeof(int));
    cudaMalloc((void **)&d_bins, NBINS * sizeof(int));
    cudaMemcpy(d_values, values, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, NBINS * sizeof(int));
    histogram<<<(n + 99) / 100, 100>>>(d_values, d_bins, n);
    cudaMemcpy(bins, d_bins, NBINS * sizeof(int), cudaMemcpyDeviceToHost);
    for (lost = n, i = 0; i < NBINS; i++) lost -= bins[i];
    printf("%d values lost\n", lost);
    cudaFree(d_values);
    cudaFree(d_bins);
    free(values);
    return 0;
}
