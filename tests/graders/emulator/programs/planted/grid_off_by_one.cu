#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

/* 每个线程计算一行的平均值 */
__global__ void row_mean(const float *m, float *mean, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0.0f;
        for (int c = 0; c < cols; ++c) s += m[r * cols + c];
        mean[r] = s / cols;
    }
}

int main(void)
{
    const int rows = 513, cols = 7, block = 128;
    float *m = (float *)malloc(rows * cols * sizeof(float));
    float *mean = (float *)malloc(rows * sizeof(float));
    for (int i = 0; i < rows * cols; i++) m[i] = (float)(i / cols);
    float *dm, *dmean;
    cudaMalloc((void **)&dm, rows * cols * sizeof(float));
    cudaMalloc((void **)&dmean, rows * sizeof(float));
    cudaMemcpy(dm, m, rows * cols * sizeof(float), cudaMemcpyHostToDevice);
    int grid = (rows + block - 2) / block;
    row_mean<<<grid, block>>>(dm, dmean, rows, cols);
    cudaMemcpy(mean, dmean, rows * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int r = 0; r < rows; r++)
        if (mean[r] < r - 1e-3f || mean[r] > r + 1e-3f) wrong++;
    printf("错误行数 %d\n", wrong);
    cudaFree(dm);
    cudaFree(dmean);
    free(m);
    free(mean);
    return wrong;
}
