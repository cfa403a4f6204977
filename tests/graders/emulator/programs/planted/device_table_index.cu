#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__device__ int letters[26];

__global__ void countLetters(const char *text, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && text[i] != ' ')
        atomicAdd(&letters[text[i] - 'a'], 1);
}

int main()
{
    const char *text = "ein zebra frisst quitten, {und} trinkt nichts dazu";
    int n = strlen(text), h[26];
    char *d;
    cudaMalloc(&d, n);
    cudaMemcpy(d, text, n, cudaMemcpyHostToDevice);
    countLetters<<<1, 64>>>(d, n);
    cudaMemcpyFromSymbol(h, letters, sizeof h);
    for (int i = 0; i < 26; i++)
        if (h[i]) printf("%c%d ", 'a' + i, h[i]);
    printf("\n");
    cudaFree(d);
    return 0;
}
