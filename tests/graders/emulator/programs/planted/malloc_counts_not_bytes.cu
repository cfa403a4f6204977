#include <iostream>
#include <cuda_runtime.h>

using namespace std;

__global__ void squares(int *out, int n)
{
    int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx < n)
        out[idx] = idx * idx;
}

int main()
{
    const int n = 4096;
    int *d_out;
    cudaMalloc((void **)&d_out, n);
    squares<<<n / 256, 256>>>(d_out, n);
    cudaError_t rc = cudaDeviceSynchronize();
    if (rc != cudaSuccess) {
        cout << "kernel: " << cudaGetErrorString(rc) << endl;
        return 1;
    }
    int last = 0;
    cudaMemcpy(&last, d_out + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
    cout << "last = " << last << endl;
    cudaFree(d_out);
    return last == (n - 1) * (n - 1) ? 0 : 1;
}
