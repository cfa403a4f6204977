#include <cstdio>
#include <cuda_runtime.h>

__device__ int mutex_word = 0;

__device__ void lock() { while (atomicCAS(&mutex_word, 0, 1) != 0) { } }
__device__ void unlock() { __threadfence(); atomicExch(&mutex_word, 0); }

__global__ void keepLargest(const int* v, volatile int* best)
{
    lock();
    int x = v[blockIdx.x];
    if (x <= *best)
        return;
    *best = x;
    unlock();
}

int main()
{
    int h[8] = {3, 9, 2, 7, 11, 1, 4, 5};
    int *v, *best, result = -1;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&best, sizeof(int));
    cudaMemset(best, 0, sizeof(int));
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    keepLargest<<<8, 1>>>(v, best);
    cudaMemcpy(&result, best, sizeof(int), cudaMemcpyDeviceToHost);
    printf("largest: %d\n", result);
    cudaFree(v);
    cudaFree(best);
    return result == 11 ? 0 : 1;
}
