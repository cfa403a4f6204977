#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void scan(int *data, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = t < n ? data[t] : 0;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (t >= stride)
            s[t] += s[t - stride];
        __syncthreads();
    }
    if (t < n) data[t] = s[t];
}

int main()
{
    const int n = 200;
    std::vector<int> h(n, 1), r(n);
    int *d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<1, 256, 256 * sizeof(int)>>>(d, n);
    cudaMemcpy(r.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += r[i] != i + 1;
    printf("%d wrong\n", wrong);
    cudaFree(d);
    return wrong ? 1 : 0;
}
