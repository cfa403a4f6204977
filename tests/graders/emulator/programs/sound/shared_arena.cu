#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

extern __shared__ __align__(16) unsigned char arena[];

// keys (short), weights (double) and a table of ints share one dynamic array
__global__ void weigh(const short* keys, const double* weights, int n, int groups, double* out, int* counts)
{
    double* w = reinterpret_cast<double*>(arena);
    int* count = reinterpret_cast<int*>(w + n);
    short* k = reinterpret_cast<short*>(count + groups);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        w[i] = weights[i];
        k[i] = keys[i];
    }
    for (int g = threadIdx.x; g < groups; g += blockDim.x) count[g] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&count[k[i]], 1);
    for (int g = threadIdx.x; g < groups; g += blockDim.x) {
        double s = 0;
        for (int i = 0; i < n; ++i)
            if (k[i] == g) s += w[i];
        out[g] = s;
    }
    __syncthreads();
    for (int g = threadIdx.x; g < groups; g += blockDim.x) counts[g] = count[g];
}

int main()
{
    const int groups = 10;
    int bad = 0;
    for (int n : {100, 6000}) {
        std::vector<short> key(n);
        std::vector<double> wt(n), sum(groups, 0.0), got(groups);
        std::vector<int> num(groups, 0), cnt(groups);
        for (int i = 0; i < n; ++i) {
            key[i] = short((i * 7) % groups);
            wt[i] = 0.5 * (i % 8);
            sum[key[i]] += wt[i];
            num[key[i]]++;
        }
        short* dk;
        double *dw, *dout;
        int* dc;
        cudaMalloc(&dk, n * sizeof(short));
        cudaMalloc(&dw, n * sizeof(double));
        cudaMalloc(&dout, groups * sizeof(double));
        cudaMalloc(&dc, groups * sizeof(int));
        cudaMemcpy(dk, key.data(), n * sizeof(short), cudaMemcpyHostToDevice);
        cudaMemcpy(dw, wt.data(), n * sizeof(double), cudaMemcpyHostToDevice);
        size_t bytes = n * (sizeof(double) + sizeof(short)) + groups * sizeof(int);
        if (bytes > 48 * 1024)
            cudaFuncSetAttribute(weigh, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        weigh<<<1, 64, bytes>>>(dk, dw, n, groups, dout, dc);
        cudaError_t e = cudaGetLastError();
        if (e != cudaSuccess) {
            printf("%zu bytes: %s\n", bytes, cudaGetErrorString(e));
            return 1;
        }
        cudaMemcpy(got.data(), dout, groups * sizeof(double), cudaMemcpyDeviceToHost);
        cudaMemcpy(cnt.data(), dc, groups * sizeof(int), cudaMemcpyDeviceToHost);
        bad += got != sum || cnt != num;
        cudaFree(dk);
        cudaFree(dw);
        cudaFree(dout);
        cudaFree(dc);
    }
    printf("%d of 2 sizes wrong\n", bad);
    return bad;
}
