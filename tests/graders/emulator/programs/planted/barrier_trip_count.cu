#include <stdio.h>
#include <cuda_runtime.h>

__global__ void windowed(const int *in, int *out, int n)
{
    __shared__ int buf[32];
    int tid = threadIdx.x;
    int sum = 0;
    for (int i = tid; i < n; i += 32) {
        buf[tid] = in[i];
        __syncthreads();
        sum += buf[tid] - buf[31 - tid] / 2;
        __syncthreads();
    }
    out[tid] = sum;
}

int main(void)
{
    int h[80], r[32], *di, *dout;
    for (int i = 0; i < 80; i++) h[i] = i;
    cudaMalloc((void **)&di, sizeof h);
    cudaMalloc((void **)&dout, sizeof r);
    cudaMemcpy(di, h, sizeof h, cudaMemcpyHostToDevice);
    windowed<<<1, 32>>>(di, dout, 80);
    cudaError_t e = cudaMemcpy(r, dout, sizeof r, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorString(e), r[0]);
    cudaFree(di);
    cudaFree(dout);
    return 0;
}
