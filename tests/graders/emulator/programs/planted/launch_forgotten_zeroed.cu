#include <cstdio>
#include <cuda_runtime.h>

__global__ void scaleBy(int *v, int f) { v[threadIdx.x] *= f; }
__global__ void countBig(const int *v, int *n, int limit)
{
    if (v[threadIdx.x] > limit) atomicAdd(n, 1);
}

int main()
{
    int h[64], count = -1, want = 0;
    for (int i = 0; i < 64; i++) {
        h[i] = i;
        want += 3 * i > 100;
    }
    int *v, *c;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&c, sizeof(int));
    cudaMemset(c, 0, sizeof(int));
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    scaleBy<<<1, 64>>>(v, 3);
    cudaMemcpy(&count, c, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d values above 100, expected %d\n", count, want);
    cudaFree(v);
    cudaFree(c);
    return count == want ? 0 : 1;
}
