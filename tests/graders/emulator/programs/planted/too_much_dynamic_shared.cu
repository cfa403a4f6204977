#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void rotate(const double *in, double *out, int n, int by)
{
    extern __shared__ double s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[(i + by) % n];
}

int main()
{
    const int n = 12 * 1024;
    std::vector<double> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = i;
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    rotate<<<1, 256, n * sizeof(double)>>>(a, b, n, 5);
    cudaMemcpy(r.data(), b, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", r[0]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
