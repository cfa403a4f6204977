#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void rowSums(const char *base, size_t pitch, int *sums, int w, int h)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= h) return;
    const int *row = (const int *)(base + r * pitch);
    int s = 0;
    for (int c = 0; c < w; c++) s += row[c];
    sums[r] = s;
}

int main()
{
    const int w = 50, h = 33;
    std::vector<int> m(w * h, 1), s(h);
    char *d;
    int *ds;
    size_t pitch;
    cudaMallocPitch((void **)&d, &pitch, w * sizeof(int), h);
    cudaMalloc(&ds, h * sizeof(int));
    cudaMemcpy2D(d, pitch, m.data(), w * sizeof(int), w, h, cudaMemcpyHostToDevice);
    rowSums<<<1, 64>>>(d, pitch, ds, w, h);
    cudaMemcpy(s.data(), ds, h * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", s[0], s[h - 1]);
    cudaFree(d);
    cudaFree(ds);
    return 0;
}
