#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CU(x) if ((x) != cudaSuccess) { std::printf("failed: %s\n", #x); return 9; }

__global__ void root(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sqrtf(in[i]);
}

int main()
{
    const int n = 400;
    std::vector<float> in(n), out(n, 0.0f);
    for (int i = 0; i < n; ++i) in[i] = float(i + 1);
    float *a, *b;
    CU(cudaMalloc(&a, n * sizeof(float)));
    CU(cudaMalloc(&b, n * sizeof(float)));
    CU(cudaMemcpy(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    root<<<4, 100>>>(a, b, n);
    CU(cudaGetLastError());
    CU(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        if (std::fabs(out[i] - std::sqrt(in[i])) > 1e-4f) ++wrong;
    std::printf("%d of %d wrong\n", wrong, n);
    CU(cudaFree(a));
    CU(cudaFree(b));
    return wrong > 0 ? 1 : 0;
}
