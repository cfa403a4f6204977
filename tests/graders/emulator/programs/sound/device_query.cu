#include <cstdio>
#include <cuda_runtime.h>

__global__ void fillGrid(int* out)
{
    int b = blockIdx.x + gridDim.x * blockIdx.y;
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    out[b * blockDim.x * blockDim.y + t] = warpSize;
}

int main()
{
    int n = 0, dev = -1, driver = 0, runtime = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess || n == 0) return 1;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    printf("%d device(s), driver %d.%d, runtime %d.%d\n", n, driver / 1000, driver % 100 / 10, runtime / 1000,
           runtime % 100 / 10);
    for (int d = 0; d < n; d++) {
        cudaDeviceProp p;
        cudaGetDeviceProperties(&p, d);
        printf("%d: %s (%d.%d)\n", d, p.name, p.major, p.minor);
        printf("   global memory       %.1f GiB\n", p.totalGlobalMem / 1073741824.0);
        printf("   shared a block      %zu bytes\n", p.sharedMemPerBlock);
        printf("   constant memory     %zu bytes\n", p.totalConstMem);
        printf("   registers a block   %d\n", p.regsPerBlock);
        printf("   threads a block     %d (%d x %d x %d)\n", p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1],
               p.maxThreadsDim[2]);
        printf("   grid                %d x %d x %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
        printf("   multiprocessors     %d\n", p.multiProcessorCount);
        if (p.maxThreadsPerBlock < 1024 || p.warpSize != 32 || p.maxGridSize[0] < 65535) return 2;
    }
    cudaSetDevice(0);
    cudaGetDevice(&dev);
    size_t free_b = 0, total_b = 0;
    cudaMemGetInfo(&free_b, &total_b);
    int maxT = 0;
    cudaDeviceGetAttribute(&maxT, cudaDevAttrMaxThreadsPerBlock, dev);

    int h[60], *d_out, bad = 0;
    cudaMalloc(&d_out, sizeof h);
    fillGrid<<<dim3(2, 3), dim3(5, 2)>>>(d_out);
    cudaMemcpy(h, d_out, sizeof h, cudaMemcpyDeviceToHost);
    for (int v : h) bad += v != 32;
    cudaFree(d_out);
    return bad || dev != 0 || free_b > total_b || maxT < 1024;
}
