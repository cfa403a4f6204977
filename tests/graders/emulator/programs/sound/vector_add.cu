#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CUDA_OK(expr)                                                              \
    do {                                                                           \
        cudaError_t status_ = (expr);                                              \
        if (status_ != cudaSuccess) {                                              \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status_)); \
            std::exit(1);                                                          \
        }                                                                          \
    } while (false)

__global__ void add(const float* a, const float* b, float* c, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 5000;
    size_t size = n * sizeof(float);
    float* h_a = static_cast<float*>(std::malloc(size));
    float* h_b = static_cast<float*>(std::malloc(size));
    float* h_c = static_cast<float*>(std::malloc(size));
    for (int i = 0; i < n; ++i) {
        h_a[i] = std::rand() / (float)RAND_MAX;
        h_b[i] = std::rand() / (float)RAND_MAX;
    }
    float *d_a = NULL, *d_b = NULL, *d_c = NULL;
    CUDA_OK(cudaMalloc((void**)&d_a, size));
    CUDA_OK(cudaMalloc((void**)&d_b, size));
    CUDA_OK(cudaMalloc((void**)&d_c, size));
    CUDA_OK(cudaMemcpy(d_a, h_a, size, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(d_b, h_b, size, cudaMemcpyHostToDevice));

    cudaEvent_t start, stop;
    CUDA_OK(cudaEventCreate(&start));
    CUDA_OK(cudaEventCreate(&stop));
    int threads = 256, blocks = (n + threads - 1) / threads;
    CUDA_OK(cudaEventRecord(start));
    add<<<blocks, threads>>>(d_a, d_b, d_c, n);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaEventRecord(stop));
    CUDA_OK(cudaEventSynchronize(stop));
    float ms = -1.0f;
    CUDA_OK(cudaEventElapsedTime(&ms, start, stop));
    CUDA_OK(cudaMemcpy(h_c, d_c, size, cudaMemcpyDeviceToHost));

    int bad = 0;
    for (int i = 0; i < n; ++i)
        if (std::fabs(h_a[i] + h_b[i] - h_c[i]) > 1e-5f) ++bad;
    std::printf("%d blocks of %d threads, %.3f ms, %d mismatches\n", blocks, threads, ms, bad);

    CUDA_OK(cudaEventDestroy(start));
    CUDA_OK(cudaEventDestroy(stop));
    CUDA_OK(cudaFree(d_a));
    CUDA_OK(cudaFree(d_b));
    CUDA_OK(cudaFree(d_c));
    std::free(h_a);
    std::free(h_b);
    std::free(h_c);
    return bad || ms < 0.0f;
}
