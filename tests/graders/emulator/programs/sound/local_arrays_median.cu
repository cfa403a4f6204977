#include <algorithm>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

using Pixel = unsigned short;

__global__ void median3x3(const Pixel* in, Pixel* out, int w, int h, int mode)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    Pixel v[9];
    int n = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int xx = x + dx, yy = y + dy;
            if (xx < 0 || yy < 0 || xx >= w || yy >= h) continue;
            v[n++] = in[yy * w + xx];
        }
    for (int i = 1; i < n; ++i) {
        Pixel p = v[i];
        int j = i;
        while (j > 0 && v[j - 1] > p) {
            v[j] = v[j - 1];
            --j;
        }
        v[j] = p;
    }
    Pixel r;
    switch (mode) {
        case 0: r = v[0]; break;
        case 1: r = v[n / 2]; break;
        default: r = v[n - 1];
    }
    out[y * w + x] = r;
}

int main()
{
    const int w = 33, h = 18;
    std::vector<Pixel> img(w * h), got(w * h);
    for (int i = 0; i < w * h; ++i) img[i] = (i * 7919) % 4096;
    Pixel *a, *b;
    cudaMalloc(&a, img.size() * sizeof(Pixel));
    cudaMalloc(&b, img.size() * sizeof(Pixel));
    cudaMemcpy(a, img.data(), img.size() * sizeof(Pixel), cudaMemcpyHostToDevice);
    int bad = 0, mode = 0;
    do {
        median3x3<<<{(w + 7) / 8, (h + 7) / 8}, {8, 8}>>>(a, b, w, h, mode);
        cudaMemcpy(got.data(), b, got.size() * sizeof(Pixel), cudaMemcpyDeviceToHost);
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                std::vector<Pixel> q;
                for (int yy = std::max(y - 1, 0); yy <= std::min(y + 1, h - 1); ++yy)
                    for (int xx = std::max(x - 1, 0); xx <= std::min(x + 1, w - 1); ++xx) q.push_back(img[yy * w + xx]);
                std::sort(q.begin(), q.end());
                Pixel want = mode == 0 ? q.front() : mode == 1 ? q[q.size() / 2] : q.back();
                bad += got[y * w + x] != want;
            }
    } while (++mode < 3);
    std::cout << bad << " bad pixels\n";
    cudaFree(a);
    cudaFree(b);
    return bad > 0;
}
