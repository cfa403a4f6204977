#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__device__ float2 mul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

template <int LOG>
__global__ void fft(float2* data)
{
    constexpr int N = 1 << LOG;
    __shared__ float2 s[N];
    float2* mine = data + blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += blockDim.x) s[__brev(i) >> (32 - LOG)] = mine[i];
    __syncthreads();
    for (int half = 1; half < N; half *= 2) {
        int t = threadIdx.x;               // N / 2 threads, one butterfly each
        int k = t % half, i = (t - k) * 2 + k;
        float sn, cs;
        sincospif(-float(k) / half, &sn, &cs);
        float2 a = s[i], b = mul(s[i + half], make_float2(cs, sn));
        s[i] = make_float2(a.x + b.x, a.y + b.y);
        s[i + half] = make_float2(a.x - b.x, a.y - b.y);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < N; i += blockDim.x) mine[i] = s[i];
}

int main()
{
    constexpr int LOG = 6, N = 1 << LOG, batch = 3;
    std::vector<float2> h(N * batch), r(N * batch);
    for (int i = 0; i < N * batch; ++i) h[i] = make_float2(std::sin(0.3f * i) + (i % 5), std::cos(0.11f * i * i));
    float2* d;
    cudaMalloc(&d, h.size() * sizeof(float2));
    cudaMemcpy(d, h.data(), h.size() * sizeof(float2), cudaMemcpyHostToDevice);
    fft<LOG><<<batch, N / 2>>>(d);
    cudaMemcpy(r.data(), d, r.size() * sizeof(float2), cudaMemcpyDeviceToHost);
    double worst = 0;
    const double pi = std::acos(-1.0);
    for (int b = 0; b < batch; ++b)
        for (int k = 0; k < N; ++k) {
            std::complex<double> sum = 0;
            for (int i = 0; i < N; ++i)
                sum += std::complex<double>(h[b * N + i].x, h[b * N + i].y) * std::polar(1.0, -2 * pi * i * k / N);
            worst = std::fmax(worst, std::abs(sum - std::complex<double>(r[b * N + k].x, r[b * N + k].y)));
        }
    printf("fft error %.2e\n", worst);
    cudaFree(d);
    return worst < 1e-3 ? 0 : 1;
}
