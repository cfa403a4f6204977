#include <iostream>
#include <cuda_runtime.h>

__device__ int counter = 5;
__device__ float lut[16];
static __device__ double2 origin = {1.0, 2.0};
__constant__ int shape[3] = {4, 2, 2};

struct Params {
    float gain;
    int offset;
};
__constant__ Params params;

__global__ void useGlobals(float *out)
{
    int i = threadIdx.x + shape[0] * (threadIdx.y + shape[1] * threadIdx.z);
    out[i] = params.gain * lut[i] + params.offset + (float)(origin.x + origin.y);
    atomicAdd(&counter, 1);
}

int main()
{
    float table[16], out[16];
    for (int i = 0; i < 16; i++) table[i] = i * 0.5f;
    Params p{2.0f, 10};
    cudaMemcpyToSymbol(lut, table, 8 * sizeof(float));
    cudaMemcpyToSymbol(lut, table + 8, 8 * sizeof(float), 8 * sizeof(float));
    cudaMemcpyToSymbol(params, &p, sizeof p);

    float *d;
    cudaMalloc(&d, sizeof out);
    useGlobals<<<1, dim3(4, 2, 2)>>>(d);
    cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
    int c = 0;
    cudaMemcpyFromSymbol(&c, counter, sizeof c);
    float second = 0;
    cudaMemcpyFromSymbol(&second, lut, sizeof(float), 2 * sizeof(float));

    void *where = nullptr;
    cudaGetSymbolAddress(&where, lut);
    cudaMemset(where, 0, sizeof(table));
    float zero = 1;
    cudaMemcpyFromSymbol(&zero, lut, sizeof(float), 15 * sizeof(float));

    bool ok = c == 21 && second == 1.0f && zero == 0.0f;
    for (int i = 0; i < 16; i++) ok = ok && out[i] == i * 1.0f + 10 + 3;
    std::cout << std::boolalpha << ok << " counter " << c << "\n";
    cudaFree(d);
    return ok ? 0 : 1;
}
