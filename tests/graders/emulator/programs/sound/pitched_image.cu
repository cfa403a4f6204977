#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static int failed(cudaError_t e, int line)
{
    if (e) fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    return e != cudaSuccess;
}
#define F(x) if (failed((x), __LINE__)) return 1

template <typename T>
__device__ T *rowPtr(T *base, size_t pitch, int y) { return (T *)((char *)base + y * pitch); }

// Spiegelt das Bild waagerecht; das Ziel ist breiter und wird mit einem Rand versehen
__global__ void mirror(float *dst, size_t dpitch, float *src, size_t spitch, int w, int h, int border)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) rowPtr(dst, dpitch, y + border)[x + border] = rowPtr(src, spitch, y)[w - 1 - x];
}

int main()
{
    const int w = 45, h = 23, b = 2, W = w + 2 * b, H = h + 2 * b;
    float *in = (float *)malloc(w * h * sizeof(float)), *out = (float *)malloc(W * H * sizeof(float));
    for (int i = 0; i < w * h; i++) in[i] = 1.0f + i;
    float *s, *d;
    size_t sp, dp;
    F(cudaMallocPitch(&s, &sp, w * sizeof(float), h));
    F(cudaMallocPitch(&d, &dp, W * sizeof(float), H));
    F(cudaMemcpy2D(s, sp, in, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
    F(cudaMemset2D(d, dp, 0, W * sizeof(float), H));
    dim3 tb(32, 4), tg((w + 31) / 32, (h + 3) / 4);
    mirror<<<tg, tb>>>(d, dp, s, sp, w, h, b);
    F(cudaGetLastError());
    F(cudaMemcpy2D(out, W * sizeof(float), d, dp, W * sizeof(float), H, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            bool inside = x >= b && y >= b && x < w + b && y < h + b;
            float want = inside ? in[(y - b) * w + w - 1 - (x - b)] : 0.0f;
            wrong += out[y * W + x] != want;
        }
    printf("%d falsche Pixel, Zeilenabstand %s\n", wrong, sp >= w * sizeof(float) ? "gut" : "zu klein");
    F(cudaFree(s));
    F(cudaFree(d));
    free(in);
    free(out);
    return wrong ? 2 : 0;
}
