#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void die(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(e));
    std::exit(2);
}

#define THREADS 64

__global__ void dot(const float *x, const float *y, float *result, int n)
{
    __shared__ float cache[THREADS];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += x[i] * y[i];
    cache[threadIdx.x] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k; k >>= 1) {
        if (threadIdx.x < k) cache[threadIdx.x] += cache[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) *result += cache[0];
}

int main()
{
    const int n = 2048;
    float *hx = (float *)malloc(n * sizeof(float)), *hy = (float *)malloc(n * sizeof(float));
    double want = 0;
    for (int i = 0; i < n; i++) {
        hx[i] = 1.0f + (i & 3);
        hy[i] = 0.5f;
        want += hx[i] * hy[i];
    }
    float *x, *y, *r, got = 0;
    die(cudaMalloc(&x, n * sizeof(float)), "malloc x");
    die(cudaMalloc(&y, n * sizeof(float)), "malloc y");
    die(cudaMalloc(&r, sizeof(float)), "malloc r");
    die(cudaMemcpy(x, hx, n * sizeof(float), cudaMemcpyHostToDevice), "copy x");
    die(cudaMemcpy(y, hy, n * sizeof(float), cudaMemcpyHostToDevice), "copy y");
    die(cudaMemset(r, 0, sizeof(float)), "memset");
    dot<<<8, THREADS>>>(x, y, r, n);
    die(cudaGetLastError(), "launch");
    die(cudaMemcpy(&got, r, sizeof(float), cudaMemcpyDeviceToHost), "copy back");
    printf("dot = %f (want %f)\n", got, want);
    cudaFree(x); cudaFree(y); cudaFree(r);
    free(hx); free(hy);
    return got > want - 0.1 && got < want + 0.1 ? 0 : 1;
}
