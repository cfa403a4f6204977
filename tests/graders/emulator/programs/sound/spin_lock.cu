#include <cstdio>
#include <cuda_runtime.h>

struct Lock {
    int* word;
    Lock()
    {
        cudaMalloc(&word, sizeof(int));
        cudaMemset(word, 0, sizeof(int));
    }
    void release() { cudaFree(word); }
    __device__ bool tryEnter()
    {
        bool got = atomicCAS(word, 0, 1) == 0;
        if (got) __threadfence();
        return got;
    }
    __device__ void leave()
    {
        __threadfence();
        atomicExch(word, 0);
    }
};

struct Account {
    long long balance;
    int entries;
};

// every thread books its own amount; the two fields must stay in step
__global__ void book(Lock lock, volatile Account* acc)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    bool done = false;
    while (!done) {
        if (lock.tryEnter()) {
            acc->balance = acc->balance + id;
            acc->entries = acc->entries + 1;
            lock.leave();
            done = true;
        }
    }
}

int main()
{
    const int grid = 3, block = 40, n = grid * block;
    Account *d, h;
    cudaMalloc(&d, sizeof(Account));
    cudaMemset(d, 0, sizeof(Account));
    Lock lock;
    book<<<grid, block>>>(lock, d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("balance %lld, %d entries\n", h.balance, h.entries);
    lock.release();
    cudaFree(d);
    return h.balance == (long long)n * (n - 1) / 2 && h.entries == n ? 0 : 1;
}
