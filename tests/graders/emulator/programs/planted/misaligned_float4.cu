#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void sum4(const float *x, float *out, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        float4 v = reinterpret_cast<const float4 *>(x)[i];
        out[i] = v.x + v.y + v.z + v.w;
    }
}

int main()
{
    const int n = 257;
    std::vector<float> h(n, 1.0f), r((n - 1) / 4);
    float *x, *o;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&o, r.size() * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    // leave out the header element
    sum4<<<1, 64>>>(x + 1, o, (n - 1) / 4);
    cudaError_t e = cudaMemcpy(r.data(), o, r.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s %f\n", cudaGetErrorString(e), r[0]);
    cudaFree(x);
    cudaFree(o);
    return e != cudaSuccess;
}
