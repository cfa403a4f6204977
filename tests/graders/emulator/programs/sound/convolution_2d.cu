#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define R 2
#define K (2 * R + 1)
#define TX 16
#define TY 8

__constant__ float mask2d[K * K];

__global__ void conv(const float *in, float *out, int w, int h)
{
    __shared__ float s[TY + 2 * R][TX + 2 * R];
    int x0 = blockIdx.x * TX - R, y0 = blockIdx.y * TY - R;
    int tid = threadIdx.y * TX + threadIdx.x;
    for (int k = tid; k < (TX + 2 * R) * (TY + 2 * R); k += TX * TY) {
        int sx = k % (TX + 2 * R), sy = k / (TX + 2 * R);
        int gx = min(max(x0 + sx, 0), w - 1), gy = min(max(y0 + sy, 0), h - 1);
        s[sy][sx] = in[gy * w + gx];
    }
    __syncthreads();
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    if (x < w && y < h) {
        float acc = 0.f;
        for (int j = 0; j < K; j++)
            for (int i = 0; i < K; i++) acc += mask2d[j * K + i] * s[threadIdx.y + j][threadIdx.x + i];
        out[y * w + x] = acc;
    }
}

int main()
{
    const int w = 41, h = 27;
    float hm[K * K], *in = new float[w * h], *out = new float[w * h];
    for (int i = 0; i < K * K; i++) hm[i] = 1.0f / (1 + i);
    for (int i = 0; i < w * h; i++) in[i] = (float)((i * 31) % 17);
    float *di, *d_o;
    cudaMalloc(&di, w * h * sizeof(float));
    cudaMalloc(&d_o, w * h * sizeof(float));
    cudaMemcpyToSymbol(mask2d, hm, sizeof(hm), 0, cudaMemcpyHostToDevice);
    cudaMemcpy(di, in, w * h * sizeof(float), cudaMemcpyHostToDevice);
    conv<<<dim3((w + TX - 1) / TX, (h + TY - 1) / TY), dim3(TX, TY)>>>(di, d_o, w, h);
    cudaMemcpy(out, d_o, w * h * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double a = 0;
            for (int j = -R; j <= R; j++)
                for (int i = -R; i <= R; i++) {
                    int gx = x + i < 0 ? 0 : x + i >= w ? w - 1 : x + i;
                    int gy = y + j < 0 ? 0 : y + j >= h ? h - 1 : y + j;
                    a += hm[(j + R) * K + i + R] * in[gy * w + gx];
                }
            if (fabs(a - out[y * w + x]) > 1e-3) bad++;
        }
    printf("conv: %d bad pixels\n", bad);
    cudaFree(di);
    cudaFree(d_o);
    delete[] in;
    delete[] out;
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
