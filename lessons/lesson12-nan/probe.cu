// Which of two candidates the blank keeps, for many pairs at once: the tree in the picture of a failing case is drawn
// from these answers. A verdict never depends on it.

#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>

struct Candidate {
    float val;
    int idx;
};

__global__ void decide(const float* mine_val, const int* mine_idx, const float* above_val, const int* above_idx, int n,
                       int* takes) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) {
        return;
    }
    const Candidate vi = {mine_val[i], mine_idx[i]};
    const float other_val = above_val[i];
    const int other_idx = above_idx[i];
    takes[i] = (______) ? 1 : 0;
}

// All pointers are host pointers to n elements.
cudaError_t probe(const float* mine_val, const int* mine_idx, const float* above_val, const int* above_idx, int n,
                  int* takes) {
    float* d_val[2] = {nullptr, nullptr};
    int* d_idx[2] = {nullptr, nullptr};
    int* d_takes = nullptr;
    const float* vals[2] = {mine_val, above_val};
    const int* idxs[2] = {mine_idx, above_idx};
    const size_t bytes = static_cast<size_t>(n) * 4;
    cudaError_t status = cudaMalloc(&d_takes, bytes);
    for (int i = 0; i < 2 && status == cudaSuccess; ++i) {
        status = cudaMalloc(&d_val[i], bytes);
        if (status == cudaSuccess) status = cudaMalloc(&d_idx[i], bytes);
        if (status == cudaSuccess) status = cudaMemcpy(d_val[i], vals[i], bytes, cudaMemcpyHostToDevice);
        if (status == cudaSuccess) status = cudaMemcpy(d_idx[i], idxs[i], bytes, cudaMemcpyHostToDevice);
    }
    if (status == cudaSuccess) {
        decide<<<(n + 127) / 128, 128>>>(d_val[0], d_idx[0], d_val[1], d_idx[1], n, d_takes);
        status = cudaGetLastError();
    }
    if (status == cudaSuccess) status = cudaMemcpy(takes, d_takes, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_takes);
    for (int i = 0; i < 2; ++i) {
        cudaFree(d_val[i]);
        cudaFree(d_idx[i]);
    }
    return status;
}
