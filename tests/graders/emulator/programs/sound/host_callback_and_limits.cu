#include <cstdio>
#include <cuda_runtime.h>

struct Progress {
    int done;
    const int *values;
    int n;
    long sum;
};

static void CUDART_CB onDone(void *user)
{
    Progress *p = static_cast<Progress *>(user);
    p->done++;
    for (int i = 0; i < p->n; i++) p->sum += p->values[i];
}

__global__ void triangular(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = i * (i + 1) / 2;
}

int main()
{
    const int n = 50;
    int *h, *d;
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20);
    cudaFuncSetCacheConfig(triangular, cudaFuncCachePreferL1);
    cudaMallocHost(&h, n * sizeof(int));
    cudaMalloc(&d, n * sizeof(int));
    cudaStream_t s;
    cudaStreamCreate(&s);
    Progress p = {0, h, n, 0};
    triangular<<<2, 32, 0, s>>>(d, n);
    cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(s, onDone, &p);
    cudaStreamSynchronize(s);
    long want = 0;
    for (int i = 0; i < n; i++) want += i * (i + 1) / 2;
    printf("%d call(s), sum %ld of %ld\n", p.done, p.sum, want);
    cudaStreamDestroy(s);
    cudaFree(d);
    cudaFreeHost(h);
    return p.done == 1 && p.sum == want ? 0 : 1;
}
