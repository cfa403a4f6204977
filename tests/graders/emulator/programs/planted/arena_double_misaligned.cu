#include <iostream>
#include <vector>
#include <cuda_runtime.h>

__global__ void weighted(const float* w, const double* x, double* out, int n)
{
    extern __shared__ float pool[];
    float* sw = pool;
    double* sx = (double*)(pool + n);
    int t = threadIdx.x;
    if (t < n) {
        sw[t] = w[t];
        sx[t] = x[t];
    }
    __syncthreads();
    if (t < n) out[t] = sw[t] * sx[n - 1 - t];
}

int main()
{
    const int n = 33;
    std::vector<float> w(n, 0.5f);
    std::vector<double> x(n, 4.0), r(n);
    float* dw;
    double *dx, *dr;
    cudaMalloc(&dw, n * sizeof(float));
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dr, n * sizeof(double));
    cudaMemcpy(dw, w.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    weighted<<<1, 64, n * (sizeof(float) + sizeof(double))>>>(dw, dx, dr, n);
    cudaError_t e = cudaMemcpy(r.data(), dr, n * sizeof(double), cudaMemcpyDeviceToHost);
    std::cout << cudaGetErrorString(e) << " " << r[0] << std::endl;
    cudaFree(dw);
    cudaFree(dx);
    cudaFree(dr);
    return e != cudaSuccess;
}
