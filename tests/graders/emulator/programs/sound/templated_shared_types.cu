#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename T> struct Traits;
template <> struct Traits<int> { static __host__ __device__ int zero() { return 0; } static const char* name() { return "int"; } };
template <> struct Traits<double> { static __host__ __device__ double zero() { return 0.0; } static const char* name() { return "double"; } };
struct Rgb {
    unsigned char r, g, b;
    __host__ __device__ bool operator==(const Rgb& o) const { return r == o.r && g == o.g && b == o.b; }
};
template <> struct Traits<Rgb> { static __host__ __device__ Rgb zero() { return Rgb{0, 0, 0}; } static const char* name() { return "rgb"; } };

// rotates each block's elements by one to the right; T decides about the size of the shared array
template <typename T, unsigned BLOCK>
__global__ void rotate(const T* in, T* out, int n)
{
    __shared__ T s[BLOCK];
    unsigned t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : Traits<T>::zero();
    __syncthreads();
    if (i < n) out[i] = s[(t + BLOCK - 1) % BLOCK];
}

template <typename T>
int test(const std::vector<T>& h)
{
    constexpr unsigned block = sizeof(T) > 4 ? 32 : 64;
    const int n = (int)h.size();
    std::vector<T> r(n);
    T *a, *b;
    cudaMalloc(&a, n * sizeof(T));
    cudaMalloc(&b, n * sizeof(T));
    cudaMemcpy(a, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    rotate<T, block><<<(n + block - 1) / block, block>>>(a, b, n);
    cudaMemcpy(r.data(), b, n * sizeof(T), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; ++i) {
        int from = i % block ? i - 1 : i + (int)block - 1;
        T want = from < n ? h[from] : Traits<T>::zero();
        if (!(r[i] == want)) ++bad;
    }
    printf("%s: %d bad\n", Traits<T>::name(), bad);
    cudaFree(a);
    cudaFree(b);
    return bad;
}

int main()
{
    std::vector<int> i(150);
    std::vector<double> d(100);
    std::vector<Rgb> c(90);
    for (int k = 0; k < 150; k++) i[k] = k * k;
    for (int k = 0; k < 100; k++) d[k] = k / 8.0;
    for (int k = 0; k < 90; k++) c[k] = Rgb{(unsigned char)k, (unsigned char)(2 * k), (unsigned char)(255 - k)};
    return test(i) + test(d) + test(c);
}
