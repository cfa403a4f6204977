#include <iostream>
#include <vector>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        std::cerr << "GPUassert: " << cudaGetErrorString(code) << " " << file << " " << line << "\n";
        if (abort) exit(code);
    }
}

__global__ void forward_difference(const double* f, double* df, double h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        df[i] = (f[i + 1] - f[i]) / h;
    }
}

int main() {
    const int n = 500;
    const double h = 0.01;
    std::vector<double> f(n), df(n);
    for (int i = 0; i < n; ++i) f[i] = (i * h) * (i * h);
    double *d_f, *d_df;
    gpuErrchk(cudaMalloc(&d_f, n * sizeof(double)));
    gpuErrchk(cudaMalloc(&d_df, n * sizeof(double)));
    gpuErrchk(cudaMemcpy(d_f, f.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    forward_difference<<<(n + 255) / 256, 256>>>(d_f, d_df, h, n);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaDeviceSynchronize());
    gpuErrchk(cudaMemcpy(df.data(), d_df, n * sizeof(double), cudaMemcpyDeviceToHost));
    std::cout << "df[10] = " << df[10] << std::endl;
    gpuErrchk(cudaFree(d_f));
    gpuErrchk(cudaFree(d_df));
    return 0;
}
