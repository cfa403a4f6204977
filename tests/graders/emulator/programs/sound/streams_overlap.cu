#include <cstdio>
#include <cuda_runtime.h>

#define checkCuda(x) \
    if ((x) != cudaSuccess) { printf("CUDA error: %s (line %d)\n", cudaGetErrorString(cudaGetLastError()), __LINE__); return 1; }

__global__ void work(float *a, int offset)
{
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i;
    float s = sinf(x), c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

__global__ void finish(const float *a, int n, int *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && fabsf(a[i] - 3.0f) > 1e-4f) atomicAdd(wrong, 1);
}

int main()
{
    const int blockSize = 64, nStreams = 4, n = 4 * blockSize * nStreams;
    const int streamSize = n / nStreams, streamBytes = streamSize * sizeof(float);
    float *h, *d;
    int *wrong, result = -1;
    checkCuda(cudaMallocHost((void **)&h, n * sizeof(float)));
    checkCuda(cudaMalloc((void **)&d, n * sizeof(float)));
    checkCuda(cudaMalloc((void **)&wrong, sizeof(int)));
    cudaStream_t stream[nStreams], last;
    cudaEvent_t ready[nStreams], t0, t1;
    for (int i = 0; i < nStreams; ++i) {
        checkCuda(cudaStreamCreate(&stream[i]));
        checkCuda(cudaEventCreateWithFlags(&ready[i], cudaEventDisableTiming));
    }
    checkCuda(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
    checkCuda(cudaEventCreate(&t0));
    checkCuda(cudaEventCreate(&t1));
    for (int i = 0; i < n; i++) h[i] = 2.0f;
    checkCuda(cudaMemset(wrong, 0, sizeof(int)));
    checkCuda(cudaDeviceSynchronize());

    checkCuda(cudaEventRecord(t0, last));
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        checkCuda(cudaMemcpyAsync(&d[offset], &h[offset], streamBytes, cudaMemcpyHostToDevice, stream[i]));
        work<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d, offset);
        checkCuda(cudaMemcpyAsync(&h[offset], &d[offset], streamBytes, cudaMemcpyDeviceToHost, stream[i]));
        checkCuda(cudaEventRecord(ready[i], stream[i]));
        checkCuda(cudaStreamWaitEvent(last, ready[i], 0));
    }
    finish<<<n / 256, 256, 0, last>>>(d, n, wrong);
    checkCuda(cudaMemcpyAsync(&result, wrong, sizeof(int), cudaMemcpyDeviceToHost, last));
    checkCuda(cudaEventRecord(t1, last));
    checkCuda(cudaStreamSynchronize(last));
    float ms;
    checkCuda(cudaEventElapsedTime(&ms, t0, t1));
    for (int i = 0; i < n; i++)
        if (h[i] < 2.999f || h[i] > 3.001f) result++;
    printf("%d wrong, took %s\n", result, ms >= 0 ? "some time" : "negative time");
    for (int i = 0; i < nStreams; ++i) {
        checkCuda(cudaStreamDestroy(stream[i]));
        checkCuda(cudaEventDestroy(ready[i]));
    }
    checkCuda(cudaStreamDestroy(last));
    checkCuda(cudaEventDestroy(t0));
    checkCuda(cudaEventDestroy(t1));
    checkCuda(cudaFree(d));
    checkCuda(cudaFree(wrong));
    checkCuda(cudaFreeHost(h));
    return result == 0 ? 0 : 1;
}
