#include <iostream>
#include <type_traits>
#include <vector>
#include <cuda_runtime.h>

struct Square {
    template <class T>
    __host__ __device__ T operator()(T x) const { return x * x; }
};

struct Affine {
    float a, b;
    __host__ __device__ float operator()(float x) const { return a * x + b; }
};

template <class A, class B>
struct Then {
    A first;
    B second;
    template <class T>
    __host__ __device__ T operator()(T x) const { return second(first(x)); }
};

template <class T, class Op>
__global__ void transform(const T* in, T* out, int n, Op op)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        auto guarded = [&](int k) {
            if constexpr (std::is_floating_point_v<T>) {
                return op(in[k]);
            } else {
                return static_cast<T>(op(in[k]) % 1000);
            }
        };
        out[i] = guarded(i);
    }
}

template <typename... Ts>
__host__ __device__ constexpr int total(Ts... v)
{
    return (v + ... + 0);
}

template <class T, class Op>
int test(int n, Op op)
{
    std::vector<T> h(n), r(n);
    for (int i = 0; i < n; ++i) h[i] = T(i % total(10, 20, 7));
    T *in, *out;
    cudaMalloc(&in, n * sizeof(T));
    cudaMalloc(&out, n * sizeof(T));
    cudaMemcpy(in, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    transform<<<3, 40>>>(in, out, n, op);
    cudaMemcpy(r.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    int bad = 0;
    for (int i = 0; i < n; ++i) {
        T want = op(h[i]);
        if constexpr (!std::is_floating_point_v<T>) want %= 1000;
        bad += r[i] != want;
    }
    return bad;
}

int main()
{
    int bad = 0;
    bad += test<int>(333, Square{});
    bad += test<long long>(100, Square{});
    bad += test<double>(77, Square{});
    bad += test<float>(500, Affine{0.5f, 2.0f});
    bad += test<float>(500, Then<Square, Affine>{{}, {2.0f, 1.0f}});
    std::cout << "bad: " << bad << "\n";
    return bad != 0;
}
