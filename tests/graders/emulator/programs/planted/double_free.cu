#include <stdio.h>
#include <cuda_runtime.h>

__global__ void zero(char *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 0;
}

int main(void)
{
    char *buf[3];
    int i;
    for (i = 0; i < 3; i++) {
        cudaMalloc((void **)&buf[i], 1000);
        zero<<<8, 128>>>(buf[i], 1000);
    }
    cudaDeviceSynchronize();
    for (i = 0; i < 3; i++)
        cudaFree(buf[i]);

    /* clean up */
    cudaFree(buf[0]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
