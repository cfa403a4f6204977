#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__global__ void produce(int* buf, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) buf[i] = i + 1;
}

__global__ void consume(const int* buf, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * buf[i];
}

int main()
{
    const int n = 1024;
    int *buf, *out;
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaMalloc(&buf, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(buf, 0, n * sizeof(int));
    cudaDeviceSynchronize();
    produce<<<8, 128, 0, first>>>(buf, n);
    consume<<<8, 128, 0, second>>>(buf, out, n);
    cudaDeviceSynchronize();
    std::vector<int> h(n);
    cudaMemcpy(h.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << h[0] << " " << h[n - 1] << std::endl;
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(buf);
    cudaFree(out);
    return 0;
}
