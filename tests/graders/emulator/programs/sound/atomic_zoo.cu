#include <cstdio>
#include <cmath>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

__device__ float atomicMaxFloat(float* addr, float value)
{
    return value >= 0.0f ? __int_as_float(atomicMax((int*)addr, __float_as_int(value)))
                         : __uint_as_float(atomicMin((unsigned int*)addr, __float_as_uint(value)));
}

__device__ double casAdd(double* address, double val)
{
    unsigned long long int* p = (unsigned long long int*)address;
    unsigned long long int old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

struct Totals {
    double sum;
    float largest;
    float fsum;
    int lowest, highest, minus;
    unsigned all_or, all_and, all_xor, last, down;
    unsigned long long big;
};

__global__ void collect(const float* x, int n, Totals* t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    int q = (int)v;
    casAdd(&t->sum, (double)v);
    atomicMaxFloat(&t->largest, v);
    atomicAdd(&t->fsum, v);
    atomicMin(&t->lowest, q);
    atomicMax(&t->highest, q);
    atomicSub(&t->minus, 2);
    atomicOr(&t->all_or, 1u << (i % 20));
    atomicAnd(&t->all_and, ~(1u << (i % 9)));
    atomicXor(&t->all_xor, (unsigned)i);
    atomicExch(&t->last, 7u);
    atomicDec(&t->down, 1000u);
    atomicAdd(&t->big, 5000000000ull);
}

int main()
{
    const int n = 200;
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = -1.5f - (i * 37 % 101);
    Totals t = {0.0, -INFINITY, 0.f, 1 << 30, -(1 << 30), 0, 0u, ~0u, 0u, 0u, 500u, 0ull};
    float* x;
    Totals* d;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&d, sizeof(Totals));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d, &t, sizeof t, cudaMemcpyHostToDevice);
    collect<<<4, 64>>>(x, n, d);
    cudaMemcpy(&t, d, sizeof t, cudaMemcpyDeviceToHost);

    double sum = 0;
    unsigned x_or = 0;
    for (int i = 0; i < n; ++i) {
        sum += h[i];
        x_or ^= (unsigned)i;
    }
    const float top = *std::max_element(h.begin(), h.end()), low = *std::min_element(h.begin(), h.end());
    int bad = 0;
    bad += t.sum != sum;
    bad += t.largest != top;
    bad += std::fabs(t.fsum - sum) > 0.1;
    bad += t.lowest != (int)low;
    bad += t.highest != (int)top;
    bad += t.minus != -2 * n;
    bad += t.all_or != (1u << 20) - 1;
    bad += t.all_and != ~((1u << 9) - 1);
    bad += t.all_xor != x_or;
    bad += t.last != 7u;
    bad += t.down != 300u;
    bad += t.big != 5000000000ull * n;
    std::printf("%d of 12 totals wrong\n", bad);
    cudaFree(x);
    cudaFree(d);
    return bad;
}
