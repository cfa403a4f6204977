#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define RADIUS 3
#define BLOCK 64

__constant__ float weights[2 * RADIUS + 1];

__global__ void stencil(const float *in, float *out, int n)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int l = threadIdx.x + RADIUS;
    tile[l] = g < n ? in[g] : 0.f;
    if (threadIdx.x < RADIUS) {
        int left = g - RADIUS, right = g + BLOCK;
        tile[l - RADIUS] = left >= 0 ? in[left] : 0.f;
        tile[l + BLOCK] = right < n ? in[right] : 0.f;
    }
    __syncthreads();
    if (g >= n) return;
    float s = 0.f;
    for (int k = -RADIUS; k <= RADIUS; k++) s = fmaf(weights[k + RADIUS], tile[l + k], s);
    out[g] = s;
}

int main()
{
    const int n = 1000;
    float w[2 * RADIUS + 1] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) x[i] = sinf(0.01f * i);
    float *dx, *dy;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpyToSymbol(weights, w, sizeof(w));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    stencil<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(dx, dy, n);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    float worst = 0.f;
    for (int i = 0; i < n; i++) {
        float s = 0.f;
        for (int k = -RADIUS; k <= RADIUS; k++)
            if (i + k >= 0 && i + k < n) s += w[k + RADIUS] * x[i + k];
        worst = fmaxf(worst, fabsf(s - y[i]));
    }
    printf("max error %e\n", worst);
    cudaFree(dx);
    cudaFree(dy);
    return worst < 1e-5f ? 0 : 1;
}
