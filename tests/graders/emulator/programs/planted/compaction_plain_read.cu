#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void positives(const int* in, int n, int* out, int* counter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) {
        int pos = *counter;
        atomicAdd(counter, 1);
        out[pos] = in[i];
    }
}

int main()
{
    const int n = 256;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) h[i] = i % 3 ? i : -i;
    int *in, *out, *c, kept = 0;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&c, sizeof(int));
    cudaMemset(c, 0, sizeof(int));
    cudaMemset(out, 0, n * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    positives<<<4, 64>>>(in, n, out, c);
    cudaMemcpy(&kept, c, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d kept, first %d\n", kept, h[0]);
    cudaFree(in);
    cudaFree(out);
    cudaFree(c);
    return 0;
}
