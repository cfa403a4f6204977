#include <cstdio>
#include <queue>
#include <vector>
#include <cuda_runtime.h>

__global__ void expand(const int *offset, const int *edges, int n, int *frontier, int *next, int *seen, int *cost,
                       int level, int *more)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || !frontier[v]) return;
    frontier[v] = 0;
    for (int e = offset[v]; e < offset[v + 1]; e++) {
        int u = edges[e];
        if (atomicExch(&seen[u], 1) == 0) {
            cost[u] = level;
            next[u] = 1;
            atomicOr(more, 1);
        }
    }
}

int main()
{
    const int n = 200;
    std::vector<int> offset{0}, edges;
    for (int v = 0; v < n; v++) {
        for (int u : {v * 2 + 1, v * 2 + 2, (v * 17 + 5) % n, v - 1})
            if (u >= 0 && u < n && v % 10 != 9) edges.push_back(u);
        offset.push_back((int)edges.size());
    }
    // reference
    std::vector<int> want(n, -1), cost(n, -1), one(n, 0);
    std::queue<int> q;
    want[0] = 0;
    q.push(0);
    while (!q.empty()) {
        int v = q.front();
        q.pop();
        for (int e = offset[v]; e < offset[v + 1]; e++)
            if (want[edges[e]] < 0) {
                want[edges[e]] = want[v] + 1;
                q.push(edges[e]);
            }
    }
    int *d_off, *d_edges, *d_front, *d_next, *d_seen, *d_cost, *d_more;
    cudaMalloc(&d_off, offset.size() * sizeof(int));
    cudaMalloc(&d_edges, edges.size() * sizeof(int));
    cudaMalloc(&d_front, n * sizeof(int));
    cudaMalloc(&d_next, n * sizeof(int));
    cudaMalloc(&d_seen, n * sizeof(int));
    cudaMalloc(&d_cost, n * sizeof(int));
    cudaMalloc(&d_more, sizeof(int));
    cudaMemcpy(d_off, offset.data(), offset.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_edges, edges.data(), edges.size() * sizeof(int), cudaMemcpyHostToDevice);
    cost[0] = 0;
    one[0] = 1;
    cudaMemcpy(d_cost, cost.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_front, one.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_seen, one.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_next, 0, n * sizeof(int));
    int more = 1, level = 0;
    while (more) {
        more = 0;
        level++;
        cudaMemcpy(d_more, &more, sizeof(int), cudaMemcpyHostToDevice);
        expand<<<(n + 63) / 64, 64>>>(d_off, d_edges, n, d_front, d_next, d_seen, d_cost, level, d_more);
        cudaMemcpy(&more, d_more, sizeof(int), cudaMemcpyDeviceToHost);
        int *t = d_front;
        d_front = d_next;
        d_next = t;
    }
    cudaMemcpy(cost.data(), d_cost, n * sizeof(int), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int v = 0; v < n; v++) bad += cost[v] != want[v];
    printf("%d levels, %d wrong\n", level - 1, bad);
    int *all[] = {d_off, d_edges, d_front, d_next, d_seen, d_cost, d_more};
    for (int *p : all) cudaFree(p);
    return bad ? 1 : 0;
}
