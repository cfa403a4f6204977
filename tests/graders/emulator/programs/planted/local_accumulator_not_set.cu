#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// four column sums per thread, kept in registers
__global__ void columnSums(const float* m, float* sums, int rows, int cols)
{
    float acc[4];
    int c0 = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (c0 + 3 >= cols) return;
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < 4; ++k)
            acc[k] += m[r * cols + c0 + k];
    for (int k = 0; k < 4; ++k)
        sums[c0 + k] = acc[k];
}

int main()
{
    const int rows = 10, cols = 64;
    std::vector<float> m(rows * cols, 1.0f), s(cols);
    float *dm, *ds;
    cudaMalloc(&dm, m.size() * sizeof(float));
    cudaMalloc(&ds, s.size() * sizeof(float));
    cudaMemcpy(dm, m.data(), m.size() * sizeof(float), cudaMemcpyHostToDevice);
    columnSums<<<1, 16>>>(dm, ds, rows, cols);
    cudaMemcpy(s.data(), ds, s.size() * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%f\n", s[0]);
    cudaFree(dm);
    cudaFree(ds);
    return 0;
}
