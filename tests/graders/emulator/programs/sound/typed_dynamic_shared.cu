#include <iostream>
#include <vector>
#include <cuda_runtime.h>

// extern __shared__ T x[] cannot have two types under one name, so each type gets its own
template <typename T> struct Scratch;
template <> struct Scratch<int> {
    __device__ operator int*() const
    {
        extern __shared__ int scratchInt[];
        return scratchInt;
    }
};
template <> struct Scratch<double> {
    __device__ operator double*() const
    {
        extern __shared__ double scratchDouble[];
        return scratchDouble;
    }
};

template <typename T>
__global__ void blockProduct(const T* in, T* out, int n)
{
    T* s = Scratch<T>();
    unsigned t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : T(1);
    __syncthreads();
    for (unsigned d = blockDim.x >> 1; d > 0; d >>= 1) {
        if (t < d) s[t] *= s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

template <typename T>
bool check(int n, int threads)
{
    const int blocks = (n + threads - 1) / threads;
    std::vector<T> h(n), r(blocks);
    for (int i = 0; i < n; ++i) h[i] = i % 6 == 1 ? T(2) : (i % 16 == 4 ? T(-1) : T(1));
    T *in, *out;
    cudaMalloc(&in, n * sizeof(T));
    cudaMalloc(&out, blocks * sizeof(T));
    cudaMemcpy(in, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    blockProduct<T><<<blocks, threads, threads * sizeof(T)>>>(in, out, n);
    cudaMemcpy(r.data(), out, blocks * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (int b = 0; b < blocks; ++b) {
        T p = 1;
        for (int i = b * threads; i < n && i < (b + 1) * threads; ++i) p *= h[i];
        if (p != r[b]) return false;
    }
    return true;
}

int main()
{
    bool a = check<int>(500, 128), b = check<double>(333, 64);
    std::cout << (a ? "int ok" : "int wrong") << ", " << (b ? "double ok" : "double wrong") << std::endl;
    return a && b ? 0 : 1;
}
