#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef struct {
    int width;
    int height;
    float *elements;
} Matrix;

__global__ void doubleAll(Matrix m, float *dst)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m.width * m.height)
        dst[i] = 2.0f * m.elements[i];
}

int main()
{
    Matrix A;
    A.width = 12;
    A.height = 10;
    int n = A.width * A.height;
    A.elements = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) A.elements[i] = i;
    float *dev, *dst, *res = (float *)malloc(n * sizeof(float));
    cudaMalloc((void **)&dev, n * sizeof(float));
    cudaMalloc((void **)&dst, n * sizeof(float));
    cudaMemcpy(dev, A.elements, n * sizeof(float), cudaMemcpyHostToDevice);
    doubleAll<<<(n + 31) / 32, 32>>>(A, dst);
    cudaError_t e = cudaMemcpy(res, dst, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(dev);
    cudaFree(dst);
    free(A.elements);
    free(res);
    return 0;
}
