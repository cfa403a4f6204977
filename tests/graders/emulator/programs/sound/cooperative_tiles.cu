#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

template <typename Tile>
__device__ int tileSum(const Tile& tile, int v)
{
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
    return v;      // right in rank 0
}

__global__ void blockSums(const int* in, int* out, int n)
{
    __shared__ int part[4];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int i = block.group_index().x * block.size() + block.thread_rank();
    int s = tileSum(warp, i < n ? in[i] : 0);
    if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = s;
    block.sync();
    if (block.thread_rank() == 0) {
        int t = 0;
        for (int w = 0; w < warp.meta_group_size(); ++w) t += part[w];
        out[blockIdx.x] = t;
    }
}

__global__ void groupsOfEight(const int* in, int* out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = in[threadIdx.x];
    int s = tileSum(tile, v);
    s = tile.shfl(s, 0);
    unsigned above = tile.ballot(8 * v > s);
    tile.sync();
    out[threadIdx.x] = __popc(above);
}

int main()
{
    const int n = 470, block = 128, grid = (n + block - 1) / block;
    std::vector<int> h(n), r(grid), e(64);
    for (int i = 0; i < n; i++) h[i] = (i * 19) % 83;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    blockSums<<<grid, block>>>(in, out, n);
    cudaMemcpy(r.data(), out, grid * sizeof(int), cudaMemcpyDeviceToHost);
    groupsOfEight<<<1, 64>>>(in, out);
    cudaMemcpy(e.data(), out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int b = 0; b < grid; b++) {
        int s = 0;
        for (int i = b * block; i < n && i < (b + 1) * block; i++) s += h[i];
        bad += s != r[b];
    }
    for (int g = 0; g < 8; g++) {
        int s = 0, above = 0;
        for (int k = 0; k < 8; k++) s += h[8 * g + k];
        for (int k = 0; k < 8; k++) above += 8 * h[8 * g + k] > s;
        for (int k = 0; k < 8; k++) bad += e[8 * g + k] != above;
    }
    printf("%s\n", bad ? "mismatch" : "all good");
    cudaFree(in);
    cudaFree(out);
    return bad;
}
