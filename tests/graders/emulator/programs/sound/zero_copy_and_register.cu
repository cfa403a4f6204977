#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define MUST(x)                                                                     \
    do {                                                                            \
        cudaError_t c = (x);                                                        \
        if (c != cudaSuccess) {                                                     \
            fprintf(stderr, "%s -> %s\n", #x, cudaGetErrorString(c));               \
            exit(4);                                                                \
        }                                                                           \
    } while (0)

__global__ void addInto(const int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] += a[i];
}

int main()
{
    const int n = 300;
    int *h_a, *d_a, *d_b, bad = 0;
    MUST(cudaHostAlloc((void **)&h_a, n * sizeof(int), cudaHostAllocMapped));
    int *h_b = (int *)malloc(n * sizeof(int));
    MUST(cudaHostRegister(h_b, n * sizeof(int), cudaHostRegisterMapped));
    for (int i = 0; i < n; i++) {
        h_a[i] = i;
        h_b[i] = 1000;
    }
    MUST(cudaHostGetDevicePointer((void **)&d_a, h_a, 0));
    MUST(cudaHostGetDevicePointer((void **)&d_b, h_b, 0));
    cudaPointerAttributes at;
    MUST(cudaPointerGetAttributes(&at, h_a));
    addInto<<<(n + 127) / 128, 128>>>(d_a, d_b, n);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) bad += h_b[i] != 1000 + i;
    printf("zero copy: %d bad, host memory: %s\n", bad, at.type == cudaMemoryTypeHost ? "yes" : "no");
    MUST(cudaHostUnregister(h_b));
    free(h_b);
    MUST(cudaFreeHost(h_a));
    return bad;
}
