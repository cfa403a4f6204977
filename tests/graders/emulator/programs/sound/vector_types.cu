#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__device__ inline float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ __host__ inline double2 cmul(double2 a, double2 b)
{
    return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__global__ void add4(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        const float4 x = reinterpret_cast<const float4*>(a)[i];
        const float4 y = reinterpret_cast<const float4*>(b)[i];
        reinterpret_cast<float4*>(c)[i] = x + y;
    } else if (i == n / 4) {
        for (int k = n / 4 * 4; k < n; ++k) c[k] = a[k] + b[k];
    }
}

__global__ void squareComplex(double2* z, int n)
{
    int i = threadIdx.x;
    if (i < n) z[i] = cmul(z[i], z[i]);
}

__global__ void grey(const uchar4* rgba, int2* out, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    uchar4 p = rgba[i];
    out[i] = make_int2((p.x * 77 + p.y * 151 + p.z * 28) >> 8, p.w);
}

int main()
{
    int errors = 0;
    {
        const int n = 1003;
        std::vector<float> a(n), b(n), c(n);
        for (int i = 0; i < n; ++i) a[i] = float(i), b[i] = float(2 * i);
        float *da, *db, *dc;
        cudaMalloc(&da, n * 4);
        cudaMalloc(&db, n * 4);
        cudaMalloc(&dc, n * 4);
        cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(db, b.data(), n * 4, cudaMemcpyHostToDevice);
        add4<<<(n / 4 + 1 + 63) / 64, 64>>>(da, db, dc, n);
        cudaMemcpy(c.data(), dc, n * 4, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) errors += c[i] != 3.0f * i;
        cudaFree(da);
        cudaFree(db);
        cudaFree(dc);
    }
    {
        std::vector<double2> z(40), r(40);
        for (int i = 0; i < 40; ++i) z[i] = make_double2(i, 40 - i);
        double2* d;
        cudaMalloc(&d, 40 * sizeof(double2));
        cudaMemcpy(d, z.data(), 40 * sizeof(double2), cudaMemcpyHostToDevice);
        squareComplex<<<1, 64>>>(d, 40);
        cudaMemcpy(r.data(), d, 40 * sizeof(double2), cudaMemcpyDeviceToHost);
        for (int i = 0; i < 40; ++i) {
            double2 w = cmul(z[i], z[i]);
            errors += w.x != r[i].x || w.y != r[i].y;
        }
        cudaFree(d);
    }
    {
        std::vector<uchar4> p(50);
        std::vector<int2> g(50);
        for (int i = 0; i < 50; ++i) p[i] = make_uchar4(i, 2 * i, 5 * i % 256, 255 - i);
        uchar4* dp;
        int2* dg;
        cudaMalloc(&dp, sizeof(uchar4) * 50);
        cudaMalloc(&dg, sizeof(int2) * 50);
        cudaMemcpy(dp, p.data(), sizeof(uchar4) * 50, cudaMemcpyHostToDevice);
        grey<<<1, 64>>>(dp, dg, 50);
        cudaMemcpy(g.data(), dg, sizeof(int2) * 50, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 50; ++i)
            errors += g[i].x != (p[i].x * 77 + p[i].y * 151 + p[i].z * 28) >> 8 || g[i].y != 255 - i;
        cudaFree(dp);
        cudaFree(dg);
    }
    std::cout << errors << " errors" << std::endl;
    return errors ? 1 : 0;
}
