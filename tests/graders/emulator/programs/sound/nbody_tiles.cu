#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define P 32
#define SOFT 0.01f

__device__ float3 attract(float4 me, float4 other, float3 a)
{
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float d2 = dx * dx + dy * dy + dz * dz + SOFT;
    float inv = rsqrtf(d2);
    float f = other.w * inv * inv * inv;
    a.x += dx * f;
    a.y += dy * f;
    a.z += dz * f;
    return a;
}

__global__ void forces(const float4 *pos, float3 *acc, int n)
{
    __shared__ float4 tile[P];
    int i = blockIdx.x * P + threadIdx.x;
    float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float3 a = {0.f, 0.f, 0.f};
    for (int t = 0; t < n; t += P) {
        tile[threadIdx.x] = t + threadIdx.x < n ? pos[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < P; k++) a = attract(me, tile[k], a);
        __syncthreads();
    }
    if (i < n) acc[i] = a;
}

__global__ void move(float4 *pos, float3 *vel, const float3 *acc, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    vel[i].x += acc[i].x * dt;
    vel[i].y += acc[i].y * dt;
    vel[i].z += acc[i].z * dt;
    pos[i].x += vel[i].x * dt;
    pos[i].y += vel[i].y * dt;
    pos[i].z += vel[i].z * dt;
}

int main()
{
    const int n = 75, steps = 3;
    const float dt = 0.01f;
    std::vector<float4> p(n), r(n);
    std::vector<double> q(4 * n), v(3 * n, 0.0);
    for (int i = 0; i < n; i++) {
        p[i] = make_float4(cosf(i), sinf(1.7f * i), 0.1f * (i % 10), 0.5f + (i % 3));
        q[4 * i] = p[i].x, q[4 * i + 1] = p[i].y, q[4 * i + 2] = p[i].z, q[4 * i + 3] = p[i].w;
    }
    float4 *dp;
    float3 *dv, *da;
    cudaMalloc(&dp, n * sizeof(float4));
    cudaMalloc(&dv, n * sizeof(float3));
    cudaMalloc(&da, n * sizeof(float3));
    cudaMemcpy(dp, p.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemset(dv, 0, n * sizeof(float3));
    for (int s = 0; s < steps; s++) {
        forces<<<(n + P - 1) / P, P>>>(dp, da, n);
        move<<<(n + 63) / 64, 64>>>(dp, dv, da, n, dt);
        std::vector<double> a(3 * n, 0.0);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double d[3], d2 = SOFT;
                for (int c = 0; c < 3; c++) d[c] = q[4 * j + c] - q[4 * i + c], d2 += d[c] * d[c];
                for (int c = 0; c < 3; c++) a[3 * i + c] += q[4 * j + 3] * d[c] / (d2 * std::sqrt(d2));
            }
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++) {
                v[3 * i + c] += a[3 * i + c] * dt;
                q[4 * i + c] += v[3 * i + c] * dt;
            }
    }
    cudaMemcpy(r.data(), dp, n * sizeof(float4), cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int i = 0; i < n; i++) {
        worst = std::fmax(worst, std::fabs(r[i].x - q[4 * i]));
        worst = std::fmax(worst, std::fabs(r[i].y - q[4 * i + 1]));
        worst = std::fmax(worst, std::fabs(r[i].z - q[4 * i + 2]));
    }
    printf("largest deviation %.2e\n", worst);
    cudaFree(dp);
    cudaFree(dv);
    cudaFree(da);
    return worst < 1e-3 ? 0 : 1;
}
