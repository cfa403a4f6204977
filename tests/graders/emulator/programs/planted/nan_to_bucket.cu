#include <stdio.h>
#include <cuda_runtime.h>

__device__ unsigned bucket(float ratio)
{
    return static_cast<unsigned>(ratio * 9.99f);
}

__global__ void assign(const float *num, const float *den, unsigned *out, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = bucket(num[i] / den[i]);
}

int main(void)
{
    enum { n = 20 };
    float num[n], den[n];
    unsigned out[n];
    for (int i = 0; i < n; i++) {
        num[i] = (float)i;
        den[i] = (float)(i == 0 ? 0 : n);
    }
    float *dn, *dd;
    unsigned *dout;
    cudaMalloc((void **)&dn, sizeof num);
    cudaMalloc((void **)&dd, sizeof den);
    cudaMalloc((void **)&dout, sizeof out);
    cudaMemcpy(dn, num, sizeof num, cudaMemcpyHostToDevice);
    cudaMemcpy(dd, den, sizeof den, cudaMemcpyHostToDevice);
    assign<<<1, 32>>>(dn, dd, dout, n);
    cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%u ", out[i]);
    puts("");
    cudaFree(dn);
    cudaFree(dd);
    cudaFree(dout);
    return 0;
}
