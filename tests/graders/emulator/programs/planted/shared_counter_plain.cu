#include <iostream>
#include <string>
#include <cuda_runtime.h>

__global__ void countVowels(const char* s, int n, int* result)
{
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        char c = s[i];
        if (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u')
            count += 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) *result = count;
}

int main()
{
    std::string s = "the quick brown fox jumps over the lazy dog while seven wizards observe in silence";
    char* d;
    int *r, vowels = 0;
    cudaMalloc(&d, s.size());
    cudaMalloc(&r, sizeof(int));
    cudaMemcpy(d, s.c_str(), s.size(), cudaMemcpyHostToDevice);
    countVowels<<<1, 64>>>(d, int(s.size()), r);
    cudaMemcpy(&vowels, r, sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << vowels << " vowels\n";
    cudaFree(d);
    cudaFree(r);
    return 0;
}
