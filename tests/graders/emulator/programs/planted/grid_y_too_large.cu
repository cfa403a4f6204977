#include <cstdio>
#include <cuda_runtime.h>

__global__ void rowMarks(unsigned char *m, int rows)
{
    int r = blockIdx.y;
    if (r < rows && threadIdx.x == 0) m[r] = 1;
}

int main()
{
    const int rows = 70000;
    unsigned char *d, last = 0;
    cudaMalloc(&d, rows);
    cudaMemset(d, 0, rows);
    rowMarks<<<dim3(1, rows), 1>>>(d, rows);
    cudaError_t e = cudaGetLastError();
    printf("launch: %s\n", cudaGetErrorString(e));
    cudaMemcpy(&last, d + rows - 1, 1, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return last == 1 ? 0 : 1;
}
