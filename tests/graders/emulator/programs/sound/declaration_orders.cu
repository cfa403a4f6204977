#include <stdio.h>
#include <math.h>

#define N (1<<10)

__global__
void saxpy(int n, float a, float *x, float *y)
{
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) y[i] = a*x[i] + y[i];
}

static __global__ void __launch_bounds__(128)
scaleBy(float *y, int n, float f = 2.0f)
{
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n) y[i] *= f;
}

template<bool NEGATE, typename T>
void __global__ finish(T *__restrict__ y,
                       const int n,
                       const T shift)
{
  const int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = NEGATE ? -(y[i] + shift) : y[i] + shift;
}

struct Host {
  float *x = nullptr, *y = nullptr;
  Host() { x = new float[N]; y = new float[N]; }
  ~Host() { delete[] x; delete[] y; }
};

int main(void)
{
  Host h;
  float *d_x, *d_y;
  cudaMalloc(&d_x, N*sizeof(float));
  cudaMalloc(&d_y, N*sizeof(float));
  for (int i = 0; i < N; i++) {
    h.x[i] = 1.0f;
    h.y[i] = 2.0f;
  }
  cudaMemcpy(d_x, h.x, N*sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, h.y, N*sizeof(float), cudaMemcpyHostToDevice);

  saxpy<<<(N+255)/256, 256>>>(N, 2.0f, d_x, d_y);
  scaleBy<<<N/128, 128>>>(d_y, N, 2.0f);
  finish<true, float><<<N/128, 128>>>(d_y, N, 0.5f);
  finish<false><<<N/128, 128>>>(d_y, N, 1.0f);

  cudaMemcpy(h.y, d_y, N*sizeof(float), cudaMemcpyDeviceToHost);
  float maxError = 0.0f;
  for (int i = 0; i < N; i++)
    maxError = fmax(maxError, fabs(h.y[i] + 7.5f));
  printf("Max error: %f\n", maxError);
  cudaFree(d_x);
  cudaFree(d_y);
  return maxError > 0.0f;
}
