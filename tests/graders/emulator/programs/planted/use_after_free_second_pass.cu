#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TRY(x)                                                   \
  if (cudaError_t rc = (x)) {                                    \
    std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(rc)); \
    std::exit(1);                                                \
  }

__global__ void pass1(const int *in, int *tmp, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) tmp[i] = in[i] * 2;
}

__global__ void pass2(const int *tmp, int *out, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) out[i] = tmp[n - 1 - i] + 1;
}

int main()
{
    const int n = 256;
    int h[n], *in, *tmp, *out;
    for (int i = 0; i < n; ++i) h[i] = i;
    TRY(cudaMalloc(&in, sizeof h));
    TRY(cudaMalloc(&tmp, sizeof h));
    TRY(cudaMalloc(&out, sizeof h));
    TRY(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    pass1<<<2, 128>>>(in, tmp, n);
    TRY(cudaFree(in));
    TRY(cudaFree(tmp));
    pass2<<<2, 128>>>(tmp, out, n);
    TRY(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    std::printf("%d\n", h[0]);
    TRY(cudaFree(out));
    return 0;
}
