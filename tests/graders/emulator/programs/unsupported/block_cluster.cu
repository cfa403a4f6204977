#include <cooperative_groups.h>
#include <iostream>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) exchange(int* out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) mine = 100 + cluster.block_rank();
    cluster.sync();
    if (threadIdx.x == 0) {
        int* other = cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
        out[blockIdx.x] = *other;
    }
    cluster.sync();
}

int main()
{
    int h[4], *d;
    cudaMalloc(&d, sizeof h);
    exchange<<<4, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    std::cout << h[0] << h[1] << h[2] << h[3] << "\n";
    cudaFree(d);
    return h[0] != 101;
}
