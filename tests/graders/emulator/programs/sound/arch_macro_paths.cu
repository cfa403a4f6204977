#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif

struct Vec3 {
    float x, y, z;
    HD Vec3(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
    HD Vec3 operator+(const Vec3& o) const { return {x + o.x, y + o.y, z + o.z}; }
    HD Vec3 operator*(float s) const { return {x * s, y * s, z * s}; }
    HD friend float dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};

HD inline float invSqrt(float v)
{
#ifdef __CUDA_ARCH__
    return rsqrtf(v);
#else
    return 1.0f / std::sqrt(v);
#endif
}

HD inline Vec3 unit(const Vec3& v) { return v * invSqrt(dot(v, v)); }

__global__ void normalise(const Vec3* in, Vec3* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300
#error "too old"
#endif
    if (i < n) out[i] = unit(in[i]) + Vec3(1.0f);
}

int main()
{
    const int n = 70;
    Vec3 h[n], r[n];
    for (int i = 0; i < n; ++i) h[i] = Vec3(i + 1, 2 * i - 9, 0.5f * i);
    Vec3 *a, *b;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    normalise<<<2, 64>>>(a, b, n);
    cudaMemcpy(r, b, sizeof r, cudaMemcpyDeviceToHost);
    float worst = 0;
    for (int i = 0; i < n; ++i) {
        Vec3 want = unit(h[i]) + Vec3(1.0f);
        worst = fmaxf(worst, fabsf(want.x - r[i].x) + fabsf(want.y - r[i].y) + fabsf(want.z - r[i].z));
    }
    printf("worst %g\n", worst);
    cudaFree(a);
    cudaFree(b);
    return worst < 1e-5f ? 0 : 1;
}
