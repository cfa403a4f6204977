// course: lesson12
//
// At which index does x[0 .. n) take its largest value?
//
// A maximum is one number. Its position is a second one, and the two must travel together: what is reduced here
// are pairs (value, index). Two passes:
//
//   pass 1   every block walks the array in grid strides and leaves one pair, the best it saw
//   pass 2   a single block reduces those pairs to one
//
// What the result promises, for every number of blocks and every block size:
//
//   - the larger value wins;
//   - among equal values the smallest index wins (+0 and -0 are equal);
//   - a NaN is no candidate (policy "ignore", as np.nanargmax); where nothing but NaN is found the answer is -1.
//
// There is one blank, in warp_best. Everything else is finished and stays as it is.

#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>

constexpr int kWarp = 32;
constexpr unsigned kEveryLane = 0xffffffffu;

// One candidate. idx == -1 marks an empty one: no element has been seen yet, so its val means nothing. The val of an
// empty candidate is -infinity, and -infinity is a legal element too: the value alone cannot tell the two apart.
struct Candidate {
    float val;
    int idx;
};

__device__ inline Candidate empty_candidate() {
    return {-INFINITY, -1};
}

// Reduces the 32 candidates of a warp; lane 0 ends up with the winner.
//
// At each step a lane looks at the candidate `step` lanes above it. Two shuffles fetch it, one for the value and one
// for the index. Lane 0 meets lane 16, then 8, 4, 2, 1: a tree of five levels. (A lane whose partner would lie past
// the end of the warp reads its own candidate back. Lane 0 never depends on such a lane.)
__device__ inline Candidate warp_best(Candidate vi) {
    for (int step = kWarp / 2; step > 0; step /= 2) {
        const float other_val = __shfl_down_sync(kEveryLane, vi.val, step);
        const int other_idx = __shfl_down_sync(kEveryLane, vi.idx, step);
        // The blank: true exactly when the other lane's candidate must replace mine.
        // Think of three situations: different values, equal values, and an empty candidate on either side.
        if (______) {
            vi.val = other_val;
            vi.idx = other_idx;
        }
    }
    return vi;
}

// Reduces the candidates of a whole block; thread 0 ends up with the winner, the other threads hold leftovers.
template <int BLOCK>
__device__ Candidate block_best(Candidate vi) {
    static_assert(BLOCK % kWarp == 0 && BLOCK <= kWarp * kWarp, "whole warps, and at most one warp's worth of them");
    constexpr int kWarps = BLOCK / kWarp;
    __shared__ float warp_val[kWarps];
    __shared__ int warp_idx[kWarps];

    const int lane = threadIdx.x % kWarp;
    const int warp = threadIdx.x / kWarp;

    vi = warp_best(vi);
    if (lane == 0) {
        warp_val[warp] = vi.val;
        warp_idx[warp] = vi.idx;
    }
    __syncthreads();  // warp 0 reads what all the other warps wrote

    if (warp == 0) {
        // A block has fewer warps than a warp has lanes. The lanes left over join in with an empty candidate,
        // because the shuffle names all 32 lanes and so all 32 must take part.
        vi = empty_candidate();
        if (lane < kWarps) {
            vi.val = warp_val[lane];
            vi.idx = warp_idx[lane];
        }
        vi = warp_best(vi);
    }
    return vi;
}

// Pass 1. A thread sees the indices first, first + stride, first + 2 * stride, ... in ascending order, so within one
// thread a strict > keeps the earliest of equal values. Between threads no such order exists.
template <int BLOCK>
__global__ void best_of_each_block(const float* __restrict__ x, int n, float* __restrict__ block_val,
                                   int* __restrict__ block_idx) {
    // 64 bits: close to the largest int, i + stride would not fit into 32.
    const long long first = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
    const long long stride = static_cast<long long>(gridDim.x) * BLOCK;

    Candidate mine = empty_candidate();
    for (long long i = first; i < n; i += stride) {
        const float value = x[i];
        // Policy "ignore": a NaN never counts. The first element that counts is taken whatever its value, else a thread
        // full of -infinity would stay empty. The bitwise & and | avoid branches, so that the compiler can unroll the
        // loop and have several loads under way at once.
        const bool take = !isnan(value) & ((mine.idx < 0) | (value > mine.val));
        if (take) {
            mine.val = value;
            mine.idx = static_cast<int>(i);
        }
    }

    mine = block_best<BLOCK>(mine);
    if (threadIdx.x == 0) {
        block_val[blockIdx.x] = mine.val;
        block_idx[blockIdx.x] = mine.idx;
    }
}

// Candidate number i of pass 1, or an empty one past the end.
__device__ inline Candidate candidate_at(const float* block_val, const int* block_idx, int count, int i) {
    if (i >= count) {
        return empty_candidate();
    }
    return {block_val[i], block_idx[i]};
}

// Pass 2, one block. With more candidates than threads it goes round by round: thread 0 carries the winner so far into
// the next round, the other threads bring BLOCK - 1 new ones. So the same tree decides here too.
template <int BLOCK>
__global__ void best_of_all_blocks(const float* __restrict__ block_val, const int* __restrict__ block_idx, int count,
                                   int* __restrict__ out) {
    const int thread = threadIdx.x;
    Candidate mine = block_best<BLOCK>(candidate_at(block_val, block_idx, count, thread));
    for (int next = BLOCK; next < count; next += BLOCK - 1) {
        __syncthreads();  // warp 0 may still be reading the shared arrays of the round before
        if (thread > 0) {
            mine = candidate_at(block_val, block_idx, count, next + thread - 1);
        }
        mine = block_best<BLOCK>(mine);
    }
    if (thread == 0) {
        *out = mine.idx;
    }
}

// The two launches stand in one stream, so the second begins when the first has finished and sees all it wrote.
// A launch returns nothing: a bad configuration shows up in cudaGetLastError, a fault inside the kernel at the next
// synchronisation.
template <int BLOCK>
cudaError_t run_both_passes(const float* x, int n, int blocks, float* block_val, int* block_idx, int* out) {
    best_of_each_block<BLOCK><<<blocks, BLOCK>>>(x, n, block_val, block_idx);
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) {
        return status;
    }
    best_of_all_blocks<BLOCK><<<1, BLOCK>>>(block_val, block_idx, blocks, out);
    status = cudaGetLastError();
    if (status != cudaSuccess) {
        return status;
    }
    return cudaDeviceSynchronize();
}

// The block size is a template argument, because the shared arrays need it while compiling. At run time we choose
// among the sizes that were compiled.
static cudaError_t run_with_block_size(int threads, const float* x, int n, int blocks, float* block_val,
                                       int* block_idx, int* out) {
    switch (threads) {
        case 64:
            return run_both_passes<64>(x, n, blocks, block_val, block_idx, out);
        case 128:
            return run_both_passes<128>(x, n, blocks, block_val, block_idx, out);
        case 256:
            return run_both_passes<256>(x, n, blocks, block_val, block_idx, out);
        default:
            return cudaErrorInvalidValue;
    }
}

// Host function. x and out are host pointers: x holds n >= 1 floats, out takes one index. `blocks` is the grid of pass 1
// (1 to 65535), `threads` the block size of both passes (64, 128 or 256). Returns the first error of any CUDA call;
// *out is written only on cudaSuccess.
cudaError_t argmax(const float* x, int n, int blocks, int threads, int* out) {
    if (x == nullptr || out == nullptr || n < 1 || blocks < 1 || blocks > 65535) {
        return cudaErrorInvalidValue;
    }
    if (threads != 64 && threads != 128 && threads != 256) {
        return cudaErrorInvalidValue;
    }

    cudaError_t first_error = cudaSuccess;
    auto ok = [&first_error](cudaError_t status) {
        if (first_error == cudaSuccess) {
            first_error = status;
        }
        return status == cudaSuccess;
    };

    float* d_x = nullptr;
    float* d_block_val = nullptr;
    int* d_block_idx = nullptr;
    int* d_out = nullptr;
    int answer = -1;
    const size_t bytes = static_cast<size_t>(n) * sizeof(float);

    // Each step runs only if all steps before it succeeded.
    const bool done = ok(cudaMalloc(&d_x, bytes)) && ok(cudaMalloc(&d_block_val, blocks * sizeof(float))) &&
                      ok(cudaMalloc(&d_block_idx, blocks * sizeof(int))) && ok(cudaMalloc(&d_out, sizeof(int))) &&
                      ok(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice)) &&
                      ok(run_with_block_size(threads, d_x, n, blocks, d_block_val, d_block_idx, d_out)) &&
                      ok(cudaMemcpy(&answer, d_out, sizeof(int), cudaMemcpyDeviceToHost));

    // Freeing happens on every path; freeing a null pointer is allowed.
    ok(cudaFree(d_out));
    ok(cudaFree(d_block_idx));
    ok(cudaFree(d_block_val));
    ok(cudaFree(d_x));

    if (done && first_error == cudaSuccess) {
        *out = answer;
    }
    return first_error;
}
