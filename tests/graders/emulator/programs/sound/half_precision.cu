#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void haxpy(__half a, const __half* x, __half* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(a, x[i], y[i]);
}

__global__ void hmul2(const half2* x, half2* y, int n2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) y[i] = __hmul2(x[i], __float2half2_rn(0.5f));
}

__global__ void toFloat(const __half* x, float* f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f[i] = __half2float(x[i]);
}

int main()
{
    const int n = 512;
    std::vector<__half> x(n), y(n);
    for (int i = 0; i < n; ++i) {
        x[i] = __float2half(float(i % 64));
        y[i] = __float2half(1.0f);
    }
    __half *dx, *dy;
    float* df;
    cudaMalloc(&dx, n * sizeof(__half));
    cudaMalloc(&dy, n * sizeof(__half));
    cudaMalloc(&df, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    haxpy<<<n / 128, 128>>>(__float2half(2.0f), dx, dy, n);
    hmul2<<<2, 128>>>(reinterpret_cast<const half2*>(dy), reinterpret_cast<half2*>(dx), n / 2);
    toFloat<<<n / 128, 128>>>(dx, df, n);
    std::vector<float> f(n);
    cudaMemcpy(f.data(), df, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; ++i)
        if (std::fabs(f[i] - (2.0f * (i % 64) + 1.0f) * 0.5f) > 0.01f) ++bad;
    std::printf("half: %d bad, %f\n", bad, f[63]);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(df);
    return bad != 0;
}
