#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

// record: 1 byte type, 4 bytes value (little endian), 2 bytes flags
__global__ void readValues(const unsigned char* buf, int* values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = *(const int*)(buf + 7 * i + 1);
}

int main()
{
    const int n = 40;
    std::vector<unsigned char> buf(7 * n, 0);
    for (int i = 0; i < n; i++) memcpy(&buf[7 * i + 1], &i, 4);
    std::vector<int> v(n);
    unsigned char* d;
    int* dv;
    cudaMalloc(&d, buf.size());
    cudaMalloc(&dv, n * sizeof(int));
    cudaMemcpy(d, buf.data(), buf.size(), cudaMemcpyHostToDevice);
    readValues<<<1, 64>>>(d, dv, n);
    cudaError_t e = cudaMemcpy(v.data(), dv, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorString(e), v[n - 1]);
    cudaFree(d);
    cudaFree(dv);
    return e != cudaSuccess;
}
