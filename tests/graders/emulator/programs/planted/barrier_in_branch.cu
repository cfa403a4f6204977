#include <cstdio>
#include <cuda_runtime.h>

// maximum of a block, first attempt
__global__ void blockMax(const int *v, int *m)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = v[blockIdx.x * 128 + t];
    __syncthreads();
    for (int w = 64; w > 0; w /= 2) {
        if (t < w) {
            if (s[t + w] > s[t]) s[t] = s[t + w];
            __syncthreads();
        }
    }
    if (t == 0) m[blockIdx.x] = s[0];
}

int main()
{
    int h[512], m[4];
    for (int i = 0; i < 512; i++) h[i] = (i * 7919) % 1009;
    int *dv, *dm;
    cudaMalloc(&dv, sizeof(h));
    cudaMalloc(&dm, sizeof(m));
    cudaMemcpy(dv, h, sizeof(h), cudaMemcpyHostToDevice);
    blockMax<<<4, 128>>>(dv, dm);
    cudaError_t e = cudaMemcpy(m, dm, sizeof(m), cudaMemcpyDeviceToHost);
    printf("%s: %d %d %d %d\n", cudaGetErrorString(e), m[0], m[1], m[2], m[3]);
    cudaFree(dv);
    cudaFree(dm);
    return 0;
}
