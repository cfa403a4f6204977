#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <cuda_runtime.h>

__device__ bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

__global__ void caesar(char *s, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !is_letter(s[i])) return;
    char a = s[i] >= 'a' ? 'a' : 'A';
    s[i] = a + (s[i] - a + k + 26) % 26;
}

__global__ void count_words(const char *s, int n, int *words, int *longest)
{
    __shared__ int w, l;
    if (threadIdx.x == 0) w = 0, l = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        bool starts = is_letter(s[i]) && (i == 0 || !is_letter(s[i - 1]));
        if (starts) {
            int e = i;
            while (e < n && is_letter(s[e])) e++;
            atomicAdd(&w, 1);
            atomicMax(&l, e - i);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *words = w;
        *longest = l;
    }
}

int main(void)
{
    const char *text = "Franz jagt im komplett verwahrlosten Taxi quer durch Bayern; Zebras schauen zu.";
    const int n = (int)strlen(text);
    char buf[128], *d;
    int *out, res[2];
    cudaMalloc((void **)&d, n);
    cudaMalloc((void **)&out, 2 * sizeof(int));
    cudaMemcpy(d, text, n, cudaMemcpyHostToDevice);
    caesar<<<(n + 31) / 32, 32>>>(d, n, 13);
    cudaMemcpy(buf, d, n, cudaMemcpyDeviceToHost);
    buf[n] = '\0';
    puts(buf);
    int same = strcmp(buf, text) == 0 || strncmp(buf, "Senam wntg", 10) != 0;
    caesar<<<(n + 31) / 32, 32>>>(d, n, -13);
    count_words<<<1, 40>>>(d, n, out, out + 1);
    cudaMemcpy(buf, d, n, cudaMemcpyDeviceToHost);
    cudaMemcpy(res, out, sizeof res, cudaMemcpyDeviceToHost);
    printf("%s\n%d words, longest %d\n", buf, res[0], res[1]);
    cudaFree(d);
    cudaFree(out);
    return same || strcmp(buf, text) != 0 || res[0] != 12 || res[1] != 13;
}
