#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void countAbove(const float* x, int n, float limit, int* count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > limit) {
        unsigned votes = __ballot_sync(0xffffffffu, x[i] > limit);
        int lane = threadIdx.x % 32;
        if (lane == __ffs(votes) - 1) atomicAdd(count, __popc(votes));
    }
}

int main()
{
    const int n = 128;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = (i * 13) % 10;
    float* x;
    int *c, got = 0;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&c, sizeof(int));
    cudaMemset(c, 0, sizeof(int));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    countAbove<<<1, n>>>(x, n, 4.5f, c);
    cudaMemcpy(&got, c, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d above\n", got);
    cudaFree(x);
    cudaFree(c);
    return 0;
}
