#include <stdio.h>
#include <cuda_runtime.h>

__global__ void shift_left(int *a, int n)
{
    int i = threadIdx.x;
    if (i < n - 1)
        a[i] = a[i + 1];
}

int main(void)
{
    int h[200], wrong = 0, *d;
    for (int i = 0; i < 200; i++) h[i] = i;
    cudaMalloc((void **)&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    shift_left<<<1, 256>>>(d, 200);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 199; i++) wrong += h[i] != i + 1;
    printf("wrong: %d\n", wrong);
    cudaFree(d);
    return 0;
}
