#include <stdio.h>
#include <cuda_runtime.h>

/* inclusive scan after Hillis and Steele, two buffers in one dynamic array */
__global__ void inclusive(const int *in, int *out, int n)
{
    extern __shared__ int temp[];
    int t = threadIdx.x, pout = 0, pin = 1;
    temp[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int off = 1; off < blockDim.x; off *= 2) {
        pout = 1 - pout;
        pin = 1 - pin;
        int v = temp[pin * blockDim.x + t];
        if (t >= off) v += temp[pin * blockDim.x + t - off];
        temp[pout * blockDim.x + t] = v;
        __syncthreads();
    }
    if (t < n) out[t] = temp[pout * blockDim.x + t];
}

/* work-efficient exclusive scan of 2 * blockDim.x values */
__global__ void exclusive(const int *in, int *out)
{
    extern __shared__ int s[];
    int t = threadIdx.x, m = 2 * blockDim.x, d = 1;
    s[2 * t] = in[2 * t];
    s[2 * t + 1] = in[2 * t + 1];
    for (int k = m >> 1; k > 0; k >>= 1) {
        __syncthreads();
        if (t < k) {
            int a = d * (2 * t + 1) - 1, b = d * (2 * t + 2) - 1;
            s[b] += s[a];
        }
        d *= 2;
    }
    __syncthreads();
    if (t == 0) s[m - 1] = 0;
    for (int k = 1; k < m; k *= 2) {
        d >>= 1;
        __syncthreads();
        if (t < k) {
            int a = d * (2 * t + 1) - 1, b = d * (2 * t + 2) - 1;
            int x = s[a];
            s[a] = s[b];
            s[b] += x;
        }
    }
    __syncthreads();
    out[2 * t] = s[2 * t];
    out[2 * t + 1] = s[2 * t + 1];
}

int main(void)
{
    enum { N = 256, USED = 200 };
    int h[N], a[N], b[N], *di, *d_o, err = 0;
    for (int i = 0; i < N; i++) h[i] = (i * i) % 23;
    cudaMalloc((void **)&di, sizeof h);
    cudaMalloc((void **)&d_o, sizeof h);
    cudaMemcpy(di, h, sizeof h, cudaMemcpyHostToDevice);

    inclusive<<<1, N, 2 * N * sizeof(int)>>>(di, d_o, USED);
    cudaMemcpy(a, d_o, USED * sizeof(int), cudaMemcpyDeviceToHost);
    exclusive<<<1, N / 2, N * sizeof(int)>>>(di, d_o);
    cudaMemcpy(b, d_o, sizeof b, cudaMemcpyDeviceToHost);

    int run = 0;
    for (int i = 0; i < N; i++) {
        if (b[i] != run) err++;
        run += h[i];
        if (i < USED && a[i] != run) err++;
    }
    printf("scan: %d errors, total %d\n", err, run);
    cudaFree(di);
    cudaFree(d_o);
    return err ? 1 : 0;
}
