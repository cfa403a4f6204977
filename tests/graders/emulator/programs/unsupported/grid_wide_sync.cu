#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void twoPhases(int* a, int* b, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    if (i < n) a[i] = i;
    grid.sync();
    if (i < n) b[i] = a[n - 1 - i];
}

int main()
{
    int n = 128, *a, *b, last = -1;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    void* args[] = {&a, &b, &n};
    cudaLaunchCooperativeKernel((void*)twoPhases, dim3(4), dim3(32), args, 0, 0);
    cudaMemcpy(&last, b, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    cudaFree(a);
    cudaFree(b);
    return last != n - 1;
}
