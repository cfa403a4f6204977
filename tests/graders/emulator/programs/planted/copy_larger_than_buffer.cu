#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Matrix {
    int rows, cols;
    float *data;
};

__global__ void negate(Matrix m)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < m.rows && c < m.cols && r * m.cols + c < m.rows * m.cols / 4)
        m.data[r * m.cols + c] = -m.data[r * m.cols + c];
}

int main()
{
    Matrix host = {20, 64, NULL};
    size_t count = host.rows * host.cols;
    host.data = (float *)calloc(count, sizeof(float));
    for (size_t i = 0; i < count; i++) host.data[i] = i * 0.5f;

    Matrix dev = host;
    cudaMalloc((void **)&dev.data, count * sizeof(char));
    cudaError_t e = cudaMemcpy(dev.data, host.data, count * sizeof(float), cudaMemcpyHostToDevice);
    if (e != cudaSuccess) {
        fprintf(stderr, "upload: %s\n", cudaGetErrorName(e));
        cudaFree(dev.data);
        free(host.data);
        return 3;
    }
    dim3 block(16, 4);
    dim3 grid((host.cols + 15) / 16, (host.rows + 3) / 4);
    negate<<<grid, block>>>(dev);
    cudaMemcpy(host.data, dev.data, count / 4 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host.data[3]);
    cudaFree(dev.data);
    free(host.data);
    return 0;
}
