#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ __noinline__ float bilinear(const float* img, int w, int h, float x, float y)
{
    int x0 = min(max(int(floorf(x)), 0), w - 1);
    int y0 = min(max(int(floorf(y)), 0), h - 1);
    float fx = x - x0, fy = y - y0;
    const float* p = img + y0 * w + x0;
    float top = p[0] * (1 - fx) + p[1] * fx;
    float bottom = p[w] * (1 - fx) + p[w + 1] * fx;
    return top * (1 - fy) + bottom * fy;
}

__global__ void resize(const float* in, int w, int h, float* out, int W, int H)
{
    int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y * blockDim.y + threadIdx.y;
    if (X >= W || Y >= H) return;
    out[Y * W + X] = bilinear(in, w, h, X * (float)w / W, Y * (float)h / H);
}

int main()
{
    const int w = 20, h = 15, W = 40, H = 30;
    std::vector<float> in(w * h), out(W * H);
    for (int i = 0; i < w * h; i++) in[i] = float(i);
    float *di, *d_out;
    cudaMalloc(&di, in.size() * sizeof(float));
    cudaMalloc(&d_out, out.size() * sizeof(float));
    cudaMemcpy(di, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    resize<<<dim3((W + 7) / 8, (H + 7) / 8), dim3(8, 8)>>>(di, w, h, d_out, W, H);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", out[5]);
    cudaFree(di);
    cudaFree(d_out);
    return 0;
}
