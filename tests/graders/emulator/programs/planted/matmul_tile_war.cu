#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int TILE = 16;

// C = A * B, alle Matrizen quadratisch, Zeilen zuerst.
__global__ void matMulTiled(const float *A, const float *B, float *C, int width)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float acc = 0.0f;

    for (int t = 0; t < width / TILE; ++t) {
        As[threadIdx.y][threadIdx.x] = A[row * width + t * TILE + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * width + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    }
    C[row * width + col] = acc;
}

int main()
{
    const int w = 48;
    std::vector<float> a(w * w), b(w * w), c(w * w), ref(w * w, 0.0f);
    for (int i = 0; i < w * w; ++i) {
        a[i] = float((i * 7) % 11) - 5.0f;
        b[i] = float((i * 5) % 13) - 6.0f;
    }
    for (int i = 0; i < w; ++i)
        for (int k = 0; k < w; ++k)
            for (int j = 0; j < w; ++j)
                ref[i * w + j] += a[i * w + k] * b[k * w + j];

    float *dA, *dB, *dC;
    size_t bytes = a.size() * sizeof(float);
    cudaMalloc(&dA, bytes);
    cudaMalloc(&dB, bytes);
    cudaMalloc(&dC, bytes);
    cudaMemcpy(dA, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), bytes, cudaMemcpyHostToDevice);

    dim3 threads(TILE, TILE);
    dim3 blocks(w / TILE, w / TILE);
    matMulTiled<<<blocks, threads>>>(dA, dB, dC, w);
    cudaMemcpy(c.data(), dC, bytes, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < w * w; ++i)
        if (std::fabs(c[i] - ref[i]) > 1e-2f) ++wrong;
    std::cout << (wrong ? "FALSCH " : "richtig ") << wrong << std::endl;
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return wrong ? 1 : 0;
}
