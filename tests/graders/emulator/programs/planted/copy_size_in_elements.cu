#include <iostream>
#include <memory>
#include <cuda_runtime.h>

__global__ void cumulate(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int acc = 0;
        for (int k = 0; k <= i; ++k)
            acc += in[k];
        out[i] = acc;
    }
}

int main()
{
    const int n = 96;
    auto host = std::make_unique<int[]>(n);
    for (int i = 0; i < n; ++i) host[i] = 1;
    int *in{}, *out{};
    cudaMalloc(&in, sizeof(int) * n);
    cudaMalloc(&out, sizeof(int) * n);
    cudaMemcpy(in, host.get(), n, cudaMemcpyHostToDevice);
    cumulate<<<3, 32>>>(in, out, n);
    cudaMemcpy(host.get(), out, sizeof(int) * n, cudaMemcpyDeviceToHost);
    std::cout << host[n - 1] << '\n';
    cudaFree(in);
    cudaFree(out);
}
