#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void triple(float *v, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) v[i] *= 3.f;
}

int main()
{
    std::vector<float> v(640, 2.0f);
    float *dv;
    size_t bytes = v.size() * sizeof(float);
    cudaMalloc(&dv, bytes);
    cudaMemcpy(dv, v.data(), bytes, cudaMemcpyDeviceToHost);
    triple<<<10, 64>>>(dv, 640);
    cudaMemcpy(v.data(), dv, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", v[639]);
    cudaFree(dv);
    return 0;
}
