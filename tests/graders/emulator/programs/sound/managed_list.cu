#include <cstdio>
#include <cuda_runtime.h>

struct Node {
    int value;
    Node *next;
};

__managed__ int visited = 0;

// walks a linked list that the host has built
__global__ void sumList(const Node *head, int *sum)
{
    int s = 0, n = 0;
    for (const Node *p = head; p; p = p->next) {
        s += p->value;
        ++n;
    }
    *sum = s;
    visited = n;
}

__global__ void scaleAll(Node *nodes, int n, int f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) nodes[i].value *= f;
}

int main()
{
    const int n = 37;
    Node *nodes;
    int *sum;
    cudaMallocManaged(&nodes, n * sizeof(Node));
    cudaMallocManaged(&sum, sizeof(int));
    int want = 0;
    for (int i = 0; i < n; i++) {
        nodes[i].value = i * i;
        nodes[i].next = i + 1 < n ? &nodes[i + 1] : nullptr;
        want += 3 * i * i;
    }
    scaleAll<<<2, 32>>>(nodes, n, 3);
    sumList<<<1, 1>>>(nodes, sum);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s: %d == %d, %d nodes\n", cudaGetErrorString(e), *sum, want, visited);
    int ok = *sum == want && visited == n && nodes[2].value == 12;
    cudaFree(nodes);
    cudaFree(sum);
    return !ok;
}
