#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void advance(const short *in, short *out, int n, int delay)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i - delay] = in[i];
}

int main()
{
    const int n = 480, delay = 48;
    std::vector<short> h(n);
    for (int i = 0; i < n; ++i) h[i] = (short)(i * 31);
    short *in, *out;
    cudaMalloc(&in, n * sizeof(short));
    cudaMalloc(&out, n * sizeof(short));
    cudaMemset(out, 0, n * sizeof(short));
    cudaMemcpy(in, h.data(), n * sizeof(short), cudaMemcpyHostToDevice);
    advance<<<(n + 95) / 96, 96>>>(in, out, n, delay);
    cudaMemcpy(h.data(), out, n * sizeof(short), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[n - 1]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
