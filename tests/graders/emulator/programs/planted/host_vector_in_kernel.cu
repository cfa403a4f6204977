#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

__global__ void increment(int* p, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] += 1;
}

int main()
{
    std::vector<int> v(100, 41);
    int* d = nullptr;
    cudaMalloc(&d, v.size() * sizeof(int));
    cudaMemcpy(d, v.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice);
    increment<<<1, 32>>>(v.data(), static_cast<int>(v.size()));
    cudaMemcpy(v.data(), d, v.size() * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", v[0]);
    cudaFree(d);
    return v[0] == 42 ? 0 : 1;
}
