#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define N 128

#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t err = (call);                                              \
    if (err != cudaSuccess) {                                              \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                   \
              cudaGetErrorString(err));                                    \
      exit(EXIT_FAILURE);                                                  \
    }                                                                      \
  } while (0)

__global__ void reverse_block(int *data)
{
    __shared__ int tmp[N];
    int t = threadIdx.x;
    tmp[t] = data[t];
    data[t] = tmp[N - 1 - t];
}

int main(void)
{
    int h[N], r[N];
    for (int i = 0; i < N; i++) h[i] = i * 3;
    int *d;
    CHECK(cudaMalloc((void **)&d, N * sizeof(int)));
    CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    reverse_block<<<1, N>>>(d);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(r, d, sizeof r, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < N; i++)
        if (r[i] != h[N - 1 - i]) bad++;
    printf("%d wrong\n", bad);
    cudaFree(d);
    return bad != 0;
}
