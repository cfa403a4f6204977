#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void poly(const double *x, double *y, int n, double c0, double c1)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = c0 + c1 * x[i];
}

int main()
{
    const int n = 1000;
    int minGrid = 0, block = 0, sms = 0, warp = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
    cudaFuncAttributes attr;
    cudaFuncGetAttributes(&attr, poly);
    cudaOccupancyMaxPotentialBlockSize(&minGrid, &block, poly, 0, 0);
    if (block < 1 || block > attr.maxThreadsPerBlock || warp != 32 || sms < 1) {
        printf("odd device: block %d, warp %d, sms %d\n", block, warp, sms);
        return 1;
    }
    std::vector<double> x(n), y(n);
    for (int i = 0; i < n; i++) x[i] = i;
    double *dx, *dy, c0 = 0.5, c1 = 2.0;
    int count = n;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    void *args[] = {&dx, &dy, &count, &c0, &c1};
    cudaError_t e = cudaLaunchKernel((const void *)poly, dim3(2), dim3(block > 128 ? 128 : block), args, 0, 0);
    if (e != cudaSuccess) {
        printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
        return 1;
    }
    cudaMemcpy(y.data(), dy, n * sizeof(double), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += y[i] != 0.5 + 2.0 * i;
    printf("%d bad\n", bad);
    cudaFree(dx);
    cudaFree(dy);
    return bad != 0;
}
