#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

/* one atomic a warp instead of one a thread */
__device__ int claim_slot(int *counter)
{
    unsigned active = __activemask();
    int lane = threadIdx.x & 31;
    int leader = __ffs(active) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & ((1u << lane) - 1));
}

__global__ void keep_odd(const int *in, int n, int *out, int *counter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (in[i] & 1)) out[claim_slot(counter)] = in[i];
}

__global__ void tally(const int *in, int n, int *bins)
{
    for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
        int i = base + threadIdx.x;
        int key = i < n ? in[i] % 7 : -1;
        unsigned same = __match_any_sync(0xffffffff, key);
        if (key >= 0 && __ffs(same) - 1 == (threadIdx.x & 31)) atomicAdd(&bins[key], __popc(same));
    }
}

static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void)
{
    enum { N = 1000 };
    static int h[N], r[N], want[N];
    int n_odd = 0, got = 0, bins[8] = {0}, ref[7] = {0}, bad = 0;
    for (int i = 0; i < N; i++) {
        h[i] = (i * 7919 + 13) % 2003;
        if (h[i] & 1) want[n_odd++] = h[i];
        ref[h[i] % 7]++;
    }
    int *in, *out, *c;
    cudaMalloc((void **)&in, sizeof h);
    cudaMalloc((void **)&out, sizeof h);
    cudaMalloc((void **)&c, sizeof bins);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(c, 0, sizeof bins);
    keep_odd<<<8, 128>>>(in, N, out, c + 7);
    tally<<<4, 64>>>(in, N, c);
    cudaMemcpy(bins, c, sizeof bins, cudaMemcpyDeviceToHost);
    got = bins[7];
    if (got == n_odd) {
        cudaMemcpy(r, out, got * sizeof(int), cudaMemcpyDeviceToHost);
        qsort(r, got, sizeof(int), cmp);
        qsort(want, n_odd, sizeof(int), cmp);
        bad = memcmp(r, want, got * sizeof(int)) != 0;
    } else {
        bad = 1;
    }
    for (int b = 0; b < 7; b++) bad |= bins[b] != ref[b];
    printf("%d odd values (expected %d), %s\n", got, n_odd, bad ? "FAILED" : "passed");
    cudaFree(in);
    cudaFree(out);
    cudaFree(c);
    return bad;
}
