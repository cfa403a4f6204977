#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>

#define OK(call) if ((call) != cudaSuccess) { fprintf(stderr, "CUDA error at line %d\n", __LINE__); exit(1); }

__global__ void dot_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, int n, float *out)
{
    __shared__ float s[128];
    float acc = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        acc += __bfloat162float(a[i]) * __bfloat162float(b[i]);
    s[threadIdx.x] = acc;
    __syncthreads();
    for (int w = blockDim.x >> 1; w; w >>= 1) {
        if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }
    if (!threadIdx.x) *out = s[0];
}

int main()
{
    const int n = 600;
    __nv_bfloat16 *h = (__nv_bfloat16 *)malloc(2 * n * sizeof(__nv_bfloat16));
    double want = 0;
    for (int i = 0; i < n; i++) {
        h[i] = __float2bfloat16(0.125f * (i % 9));
        h[n + i] = __float2bfloat16(1.0f + i % 3);
        want += 0.125 * (i % 9) * (1.0 + i % 3);
    }
    __nv_bfloat16 *d;
    float *o, got;
    OK(cudaMalloc(&d, 2 * n * sizeof(__nv_bfloat16)));
    OK(cudaMalloc(&o, sizeof(float)));
    OK(cudaMemcpy(d, h, 2 * n * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice));
    dot_bf16<<<1, 128>>>(d, d + n, n, o);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&got, o, sizeof got, cudaMemcpyDeviceToHost));
    printf("%.4f vs %.4f\n", got, want);
    OK(cudaFree(d));
    OK(cudaFree(o));
    free(h);
    return fabs(got - want) < 1e-2 * want ? 0 : 1;
}
