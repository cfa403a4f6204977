#include <iostream>
#include <cuda_runtime.h>

template <typename T>
__global__ void axpy(T a, const T* x, T* y, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += size_t(blockDim.x) * gridDim.x)
        y[i] = a * x[i] + y[i];
}

template <typename T>
bool run(size_t n, T a)
{
    T *hx, *hy, *dx, *dy;
    cudaMallocHost(&hx, n * sizeof(T));
    cudaHostAlloc(&hy, n * sizeof(T), cudaHostAllocDefault);
    for (size_t i = 0; i < n; ++i) {
        hx[i] = T(i % 10);
        hy[i] = T(1);
    }
    cudaMalloc(&dx, n * sizeof(T));
    cudaMalloc(&dy, n * sizeof(T));
    cudaMemcpy(dx, hx, n * sizeof(T), cudaMemcpyDefault);
    cudaMemcpy(dy, hy, n * sizeof(T), cudaMemcpyDefault);
    axpy<T><<<6, 96>>>(a, dx, dy, n);
    bool ok = cudaGetLastError() == cudaSuccess;
    cudaMemcpy(hy, dy, n * sizeof(T), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; ++i)
        if (hy[i] != a * T(i % 10) + T(1)) ok = false;
    cudaFree(dx);
    cudaFree(dy);
    cudaFreeHost(hx);
    cudaFreeHost(hy);
    return ok;
}

int main()
{
    int device = 0, count = 0;
    cudaGetDeviceCount(&count);
    if (count == 0) {
        std::cerr << "no device\n";
        return 77;
    }
    cudaSetDevice(device);
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, device);
    std::cout << prop.name << ", compute " << prop.major << "." << prop.minor << ", warp " << prop.warpSize << "\n";
    bool a = run<float>(4099, 2.0f);
    bool b = run<double>(777, 0.5);
    bool c = run<int>(1, 3);
    std::cout << a << b << c << std::endl;
    return a && b && c ? 0 : 1;
}
