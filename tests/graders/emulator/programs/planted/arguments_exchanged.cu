#include <iostream>
#include <vector>
#include <cuda_runtime.h>

// every stride-th element of n inputs
__global__ void decimate(const float* in, float* out, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / stride + 1)
        out[i] = in[i * stride];
}

int main()
{
    const int n = 1001, stride = 4, m = n / stride + 1;
    std::vector<float> in(n), out(m);
    for (int i = 0; i < n; ++i) in[i] = i * 0.1f;
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, m * sizeof(float));
    cudaMemset(d_out, 0, m * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    decimate<<<(m + 63) / 64, 64>>>(d_in, d_out, stride, n);
    cudaMemcpy(out.data(), d_out, m * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < m; ++i) wrong += out[i] != in[i * stride];
    std::cout << wrong << " wrong\n";
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong ? 1 : 0;
}
