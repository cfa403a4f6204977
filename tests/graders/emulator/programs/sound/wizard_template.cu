
#include "cuda_runtime.h"
#include "device_launch_parameters.h"

#include <stdio.h>

cudaError_t productOnGpu(int *c, const int *a, const int *b, unsigned int size);

__global__ void productKernel(int *c, const int *a, const int *b)
{
    int i = threadIdx.x;
    c[i] = a[i] * b[i];
}

int main()
{
    const int count = 6;
    const int a[count] = { 2, 3, 5, 7, 11, 13 };
    const int b[count] = { 60, 50, 40, 30, 20, 10 };
    int c[count] = { 0 };

    cudaError_t status = productOnGpu(c, a, b, count);
    if (status != cudaSuccess) {
        fprintf(stderr, "productOnGpu failed!");
        return 1;
    }

    printf("{2,3,5,7,11,13} * {60,50,40,30,20,10} = {%d,%d,%d,%d,%d,%d}\n", c[0], c[1], c[2], c[3], c[4], c[5]);

    status = cudaDeviceReset();
    if (status != cudaSuccess) {
        fprintf(stderr, "cudaDeviceReset failed!");
        return 1;
    }
    return c[0] == 120 && c[3] == 210 && c[5] == 130 ? 0 : 1;
}

cudaError_t productOnGpu(int *c, const int *a, const int *b, unsigned int size)
{
    int *dev_a = 0;
    int *dev_b = 0;
    int *dev_c = 0;
    cudaError_t status;

    status = cudaSetDevice(0);
    if (status != cudaSuccess) goto Error;
    status = cudaMalloc((void**)&dev_c, size * sizeof(int));
    if (status != cudaSuccess) goto Error;
    status = cudaMalloc((void**)&dev_a, size * sizeof(int));
    if (status != cudaSuccess) goto Error;
    status = cudaMalloc((void**)&dev_b, size * sizeof(int));
    if (status != cudaSuccess) goto Error;
    status = cudaMemcpy(dev_a, a, size * sizeof(int), cudaMemcpyHostToDevice);
    if (status != cudaSuccess) goto Error;
    status = cudaMemcpy(dev_b, b, size * sizeof(int), cudaMemcpyHostToDevice);
    if (status != cudaSuccess) goto Error;

    productKernel<<<1, size>>>(dev_c, dev_a, dev_b);

    status = cudaGetLastError();
    if (status != cudaSuccess) {
        fprintf(stderr, "launch failed: %s\n", cudaGetErrorString(status));
        goto Error;
    }
    status = cudaDeviceSynchronize();
    if (status != cudaSuccess) {
        fprintf(stderr, "error code %d after launching\n", status);
        goto Error;
    }
    status = cudaMemcpy(c, dev_c, size * sizeof(int), cudaMemcpyDeviceToHost);

Error:
    cudaFree(dev_c);
    cudaFree(dev_a);
    cudaFree(dev_b);
    return status;
}
