#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define V 30
#define INF 1000000

/* all shortest paths; row k and column k do not change in round k because d[k][k] is 0 */
__global__ void relax(int *d, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= V || j >= V) return;
    int via = d[i * V + k] + d[k * V + j];
    if (via < d[i * V + j]) d[i * V + j] = via;
}

int main(void)
{
    static int h[V * V], r[V * V];
    int i, j, k, bad = 0, *d;
    for (i = 0; i < V; i++)
        for (j = 0; j < V; j++) h[i * V + j] = i == j ? 0 : (i * 7 + j * 13) % 5 == 0 ? 1 + (i * 3 + j) % 20 : INF;
    cudaMalloc((void **)&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    dim3 block(8, 8), grid((V + 7) / 8, (V + 7) / 8);
    for (k = 0; k < V; k++) relax<<<grid, block>>>(d, k);
    cudaMemcpy(r, d, sizeof r, cudaMemcpyDeviceToHost);
    for (k = 0; k < V; k++)
        for (i = 0; i < V; i++)
            for (j = 0; j < V; j++)
                if (h[i * V + k] + h[k * V + j] < h[i * V + j]) h[i * V + j] = h[i * V + k] + h[k * V + j];
    bad = memcmp(h, r, sizeof h) != 0;
    printf("0 -> %d: %d (%s)\n", V - 1, r[V - 1], bad ? "wrong" : "right");
    cudaFree(d);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
