// Datei aus einem Windows-Editor
#include <stdio.h>
#include <cuda_runtime.h>

#define CHECK(call) \
	do { \
		cudaError_t e = (call); \
		if (e != cudaSuccess) { \
			printf("Fehler %d in Zeile %d\n", (int)e, __LINE__); \
			return 1; \
		} \
	} while (0)

__global__ void fill(int *a, int n)
{
	__shared__ int s[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	s[threadIdx.x] = i * i;
	__syncthreads();
	if (i < n)
		a[i] = s[31 - threadIdx.x];
}

int main()
{
	int h[64], *d, bad = 0;
	CHECK(cudaMalloc((void **)&d, sizeof h));
	fill<<<2, 32>>>(d, 64);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++) {
		int j = i / 32 * 32 + 31 - i % 32;
		bad += h[i] != j * j;
	}
	printf("%d falsch\n", bad);
	CHECK(cudaFree(d));
	return bad;
}
