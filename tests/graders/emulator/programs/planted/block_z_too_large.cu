#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__global__ void depthIndex(int* out) { out[threadIdx.z] = threadIdx.z; }

int main()
{
    const int depth = 128;
    std::vector<int> h(depth, -1);
    int* d;
    cudaMalloc(&d, depth * sizeof(int));
    depthIndex<<<1, dim3(1, 1, depth)>>>(d);
    cudaMemcpy(h.data(), d, depth * sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << h[0] << " " << h[depth - 1] << "\n";
    cudaFree(d);
    return 0;
}
