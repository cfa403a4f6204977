#include <cstdio>
#include <cuda_runtime.h>

__inline__ __device__ float warpMax(float v)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_xor_sync(0x0000ffff, v, offset));
    return v;
}

__global__ void rowMax(const float* rows, float* maxima)
{
    float m = warpMax(rows[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) maxima[blockIdx.x] = m;
}

int main()
{
    float h[4 * 32], r[4];
    for (int i = 0; i < 128; i++) h[i] = float((i * 41) % 127);
    float *d, *m;
    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&m, sizeof(r));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    rowMax<<<4, 32>>>(d, m);
    cudaMemcpy(r, m, sizeof(r), cudaMemcpyDeviceToHost);
    printf("%.0f %.0f %.0f %.0f\n", r[0], r[1], r[2], r[3]);
    cudaFree(d);
    cudaFree(m);
    return 0;
}
