#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void zoom(cudaTextureObject_t tex, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = tex2D<float>(tex, x * 0.5f + 0.5f, y * 0.5f + 0.5f);
}

int main()
{
    const int w = 16, h = 16;
    float img[w * h], res[4 * w * h];
    for (int i = 0; i < w * h; i++) img[i] = i;
    cudaChannelFormatDesc fmt = cudaCreateChannelDesc<float>();
    cudaArray_t arr;
    cudaMallocArray(&arr, &fmt, w, h);
    cudaMemcpy2DToArray(arr, 0, 0, img, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    cudaResourceDesc rd;
    memset(&rd, 0, sizeof rd);
    rd.resType = cudaResourceTypeArray;
    rd.res.array.array = arr;
    cudaTextureDesc td;
    memset(&td, 0, sizeof td);
    td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp;
    td.filterMode = cudaFilterModeLinear;
    td.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex = 0;
    cudaCreateTextureObject(&tex, &rd, &td, NULL);
    float *d;
    cudaMalloc(&d, sizeof res);
    zoom<<<dim3(4, 4), dim3(8, 8)>>>(tex, d, 2 * w, 2 * h);
    cudaMemcpy(res, d, sizeof res, cudaMemcpyDeviceToHost);
    printf("%f %f\n", res[0], res[5]);
    cudaDestroyTextureObject(tex);
    cudaFreeArray(arr);
    cudaFree(d);
    return 0;
}
