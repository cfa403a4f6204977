#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

// Producto elemento a elemento de dos vectores
__global__ void producto(const double *x, const double *y, double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] * y[i];
}

int main(void)
{
    int n = 777;
    size_t tam = n * sizeof(double);
    double *x = (double *)malloc(tam), *y = (double *)malloc(tam), *z = (double *)malloc(tam);
    for (int i = 0; i < n; i++) { x[i] = i; y[i] = 1.0 / (i + 1); }

    double *dx, *dy, *dz;
    cudaMalloc((void **)&dx, tam);
    cudaMalloc((void **)&dy, tam);
    cudaMalloc((void **)&dz, tam);
    cudaMemcpy(dx, x, tam, cudaMemcpyHostToDevice);

    producto<<<(n + 127) / 128, 128>>>(dx, dy, dz, n);

    cudaMemcpy(z, dz, tam, cudaMemcpyDeviceToHost);
    printf("z[1] = %f\n", z[1]);
    cudaFree(dx); cudaFree(dy); cudaFree(dz);
    free(x); free(y); free(z);
    return 0;
}
