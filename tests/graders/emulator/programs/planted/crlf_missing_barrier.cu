// Datei aus einem Windows-Editor
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void neighbours(const int *a, int *b)
{
	__shared__ int s[96];
	s[threadIdx.x] = a[threadIdx.x];
	b[threadIdx.x] = s[(threadIdx.x + 1) % 96];
}

int main()
{
	int h[96], *a, *b;
	for (int i = 0; i < 96; i++)
		h[i] = i;
	cudaMalloc((void **)&a, sizeof h);
	cudaMalloc((void **)&b, sizeof h);
	cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
	neighbours<<<1, 96>>>(a, b);
	cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d %d\n", h[0], h[95]);
	cudaFree(a);
	cudaFree(b);
	return 0;
}
