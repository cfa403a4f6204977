#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__global__ void subtractFirst(const float* in, float* out, int n)
{
    __shared__ float base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        base = in[i];
    if (i < n)
        out[i] = in[i] - base;
}

int main()
{
    const int n = 256;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; ++i) h[i] = i * 0.5f;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    subtractFirst<<<n / 64, 64>>>(in, out, n);
    cudaMemcpy(r.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; ++i) bad += r[i] != (i % 64) * 0.5f;
    std::cout << bad << " bad\n";
    cudaFree(in);
    cudaFree(out);
    return bad != 0;
}
