#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// Which point of a cloud is nearest to the origin? Ties go to the smaller number.
struct Hit {
    float dist;
    int who;
};

__device__ Hit nearer(Hit a, Hit b)
{
    if (b.dist < a.dist || (b.dist == a.dist && b.who < a.who)) return b;
    return a;
}

template <int T, class Load>
__device__ Hit reduceBlock(Load load, int n)
{
    __shared__ Hit box[T];
    Hit h = {3.4e38f, 0x7fffffff};
    for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T) h = nearer(h, load(i));
    box[threadIdx.x] = h;
    __syncthreads();
    for (int s = T / 2; s; s /= 2) {
        if (threadIdx.x < s) box[threadIdx.x] = nearer(box[threadIdx.x], box[threadIdx.x + s]);
        __syncthreads();
    }
    return box[0];
}

__global__ void phase1(const float3* p, int n, Hit* out)
{
    Hit h = reduceBlock<64>([=](int i) { return Hit{p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z, i}; }, n);
    if (threadIdx.x == 0) out[blockIdx.x] = h;
}

__global__ void phase2(const Hit* in, int n, Hit* out)
{
    Hit h = reduceBlock<32>([=](int i) { return in[i]; }, n);
    if (threadIdx.x == 0) *out = h;
}

int main()
{
    const int n = 1500, grid = 7;
    std::vector<float3> p(n);
    for (int i = 0; i < n; ++i) p[i] = make_float3(1 + (i * 37) % 91, 1 + (i * 53) % 67, 2 + (i * 11) % 23);
    p[901] = p[402] = make_float3(0.5f, 0.f, 0.f);
    float3* d;
    Hit *part, *res, got;
    cudaMalloc(&d, n * sizeof(float3));
    cudaMalloc(&part, grid * sizeof(Hit));
    cudaMalloc(&res, sizeof(Hit));
    cudaMemcpy(d, p.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
    phase1<<<grid, 64>>>(d, n, part);
    phase2<<<1, 32>>>(part, grid, res);
    cudaMemcpy(&got, res, sizeof got, cudaMemcpyDeviceToHost);
    printf("nearest: %d at %g\n", got.who, got.dist);
    cudaFree(d);
    cudaFree(part);
    cudaFree(res);
    return got.who == 402 && got.dist == 0.25f ? 0 : 1;
}
