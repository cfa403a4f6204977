#include <cstdio>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t r = x; if (r != cudaSuccess) { printf("%d: %s\n", __LINE__, cudaGetErrorString(r)); return 1; } } while (0)

__global__ void square(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= v[i];
}

int main()
{
    const int n = 512;
    int *h, *d;
    cudaStream_t s;
    CK(cudaMallocHost(&h, n * sizeof(int)));
    CK(cudaMalloc(&d, n * sizeof(int)));
    CK(cudaStreamCreate(&s));
    for (int i = 0; i < n; i++) h[i] = i;
    CK(cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, s));
    square<<<4, 128, 0, s>>>(d, n);
    CK(cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, s));
    long sum = 0;
    for (int i = 0; i < n; i++) sum += h[i];
    printf("sum of squares %ld\n", sum);
    CK(cudaStreamSynchronize(s));
    CK(cudaStreamDestroy(s));
    CK(cudaFree(d));
    CK(cudaFreeHost(h));
    return 0;
}
