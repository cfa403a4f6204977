#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

/* XOR "cipher" */
__global__ void crypt(char *text, int len, const char *key, int klen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < len) {
        text[i] = text[i] ^ key[i % klen];
    }
}

int main(void)
{
    const char *msg = "attack at dawn, bring sandwiches and a map of the old quarter";
    int len = strlen(msg);
    char *h_key = (char *)malloc(13);
    memcpy(h_key, "correct horse", 13);
    char out[128];
    char *d_text, *d_key;
    cudaMalloc((void **)&d_text, len);
    cudaMalloc((void **)&d_key, 13);
    cudaMemcpy(d_text, msg, len, cudaMemcpyHostToDevice);
    cudaMemcpy(d_key, h_key, sizeof(h_key), cudaMemcpyHostToDevice);
    crypt<<<(len + 31) / 32, 32>>>(d_text, len, d_key, 13);
    crypt<<<(len + 31) / 32, 32>>>(d_text, len, d_key, 13);
    cudaMemcpy(out, d_text, len, cudaMemcpyDeviceToHost);
    out[len] = 0;
    puts(out);
    cudaFree(d_text);
    cudaFree(d_key);
    free(h_key);
    return 0;
}
