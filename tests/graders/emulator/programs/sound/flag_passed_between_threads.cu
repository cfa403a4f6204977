#include <cstdio>
#include <cuda_runtime.h>

// Warp 0 produces, warp 1 consumes; a flag a slot tells that the value is there.
__global__ void pipeline(const int* in, int* out, int rounds)
{
    __shared__ volatile int slot[32];
    __shared__ int full[32];
    const int lane = threadIdx.x & 31;
    if (threadIdx.x < 32) full[lane] = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; ++r) {
            while (atomicAdd(&full[lane], 0) != 0) { }
            slot[lane] = in[r * 32 + lane] * 2;
            __threadfence_block();
            atomicExch(&full[lane], 1);
        }
    } else {
        for (int r = 0; r < rounds; ++r) {
            while (atomicAdd(&full[lane], 0) != 1) { }
            __threadfence_block();
            out[r * 32 + lane] = slot[lane] + 1;
            __threadfence_block();
            atomicExch(&full[lane], 0);
        }
    }
}

int main()
{
    const int rounds = 6, n = 32 * rounds;
    int h[n], r[n], *in, *out, bad = 0;
    for (int i = 0; i < n; i++) h[i] = 3 * i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    pipeline<<<1, 64>>>(in, out, rounds);
    cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) bad += r[i] != 2 * h[i] + 1;
    printf("%d bad\n", bad);
    cudaFree(in);
    cudaFree(out);
    return bad;
}
