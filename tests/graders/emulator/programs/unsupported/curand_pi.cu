#include <cstdio>
#include <curand_kernel.h>
#include <cuda_runtime.h>

__global__ void setup(curandState *s)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curand_init(1234, id, 0, &s[id]);
}

__global__ void sample(curandState *s, int per, unsigned *hits)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    curandState mine = s[id];
    unsigned n = 0;
    for (int k = 0; k < per; k++) {
        float x = curand_uniform(&mine), y = curand_uniform(&mine);
        n += x * x + y * y <= 1.0f;
    }
    s[id] = mine;
    atomicAdd(hits, n);
}

int main()
{
    curandState *s;
    unsigned *d, h = 0;
    cudaMalloc(&s, 256 * sizeof(curandState));
    cudaMalloc(&d, sizeof(unsigned));
    cudaMemset(d, 0, sizeof(unsigned));
    setup<<<4, 64>>>(s);
    sample<<<4, 64>>>(s, 100, d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%f\n", 4.0 * h / 25600.0);
    cudaFree(s);
    cudaFree(d);
    return 0;
}
