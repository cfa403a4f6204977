// Cooperative groups of one block: thread_block, tiles, coalesced groups. Groups of blocks need a cooperative launch,
// which the emulator refuses by name.
#pragma once
#include "cuemu/prelude.h"

namespace cooperative_groups {
namespace cuemu_detail {
inline unsigned lanes_from(unsigned first, unsigned count) { return (count >= 32 ? ~0u : (1u << count) - 1) << first; }
inline unsigned linear_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
}  // namespace cuemu_detail

class thread_block {
 public:
  static void sync(CUEMU_LINE) { ::cuemu::barrier(line); }
  static unsigned thread_rank() { return cuemu_detail::linear_thread(); }
  static unsigned size() { return cuemu_detail::block_threads(); }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static dim3 dim_threads() { return blockDim; }
  static dim3 group_dim() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

// A set of lanes of one warp; `mask` names them, `first` is the lowest lane, lanes may have gaps only if coalesced.
class cuemu_lanes {
 protected:
  unsigned mask_, lane_;

 public:
  cuemu_lanes(unsigned mask) : mask_(mask), lane_(cuemu_detail::linear_thread() & 31) {}
  void sync(CUEMU_LINE) const { ::cuemu::warp_op(::cuemu::SYNC, mask_, 0, 0, 0, 32, line); }
  unsigned size() const { return (unsigned)__builtin_popcount(mask_); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return (unsigned)__builtin_popcount(mask_ & ((1u << lane_) - 1)); }
  unsigned ballot(int p, CUEMU_LINE) const { return packed(__ballot_sync(mask_, p, line)); }
  int any(int p, CUEMU_LINE) const { return __any_sync(mask_, p, line); }
  int all(int p, CUEMU_LINE) const { return __all_sync(mask_, p, line); }
  template <class T>
  T shfl(T v, unsigned rank, CUEMU_LINE) const {
    return __shfl_sync(mask_, v, lane_of(rank % size()), 32, line);
  }
  template <class T>
  T shfl_up(T v, unsigned d, CUEMU_LINE) const {
    unsigned r = thread_rank();
    return __shfl_sync(mask_, v, lane_of(d > r ? r : r - d), 32, line);
  }
  template <class T>
  T shfl_down(T v, unsigned d, CUEMU_LINE) const {
    unsigned r = thread_rank();
    return __shfl_sync(mask_, v, lane_of(r + d >= size() ? r : r + d), 32, line);
  }
  template <class T>
  T shfl_xor(T v, unsigned x, CUEMU_LINE) const {
    unsigned r = thread_rank() ^ x;
    return __shfl_sync(mask_, v, lane_of(r >= size() ? thread_rank() : r), 32, line);
  }
  template <class T>
  unsigned match_any(T v, CUEMU_LINE) const {
    return packed(__match_any_sync(mask_, v, line));
  }
  unsigned cuemu_mask() const { return mask_; }

 private:
  int lane_of(unsigned rank) const {
    unsigned m = mask_;
    while (rank--) m &= m - 1;
    return __builtin_ctz(m);
  }
  unsigned packed(unsigned lanes) const {
    unsigned out = 0, rank = 0;
    for (unsigned m = mask_; m; m &= m - 1, rank++)
      if (lanes & (m & -m)) out |= 1u << rank;
    return out;
  }
};

template <unsigned SIZE, class Parent = void>
class thread_block_tile : public cuemu_lanes {
  static_assert(SIZE > 0 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  unsigned rank_, groups_;

  static unsigned tile_mask() {
    unsigned linear = cuemu_detail::linear_thread(), lane = linear & 31, first = lane / SIZE * SIZE;
    unsigned left = cuemu_detail::block_threads() - (linear - lane + first);
    return cuemu_detail::lanes_from(first, left < SIZE ? left : SIZE);
  }

 public:
  thread_block_tile() : cuemu_lanes(tile_mask()) {
    rank_ = cuemu_detail::linear_thread() / SIZE;
    groups_ = (cuemu_detail::block_threads() + SIZE - 1) / SIZE;
  }
  thread_block_tile(unsigned rank, unsigned groups) : cuemu_lanes(tile_mask()), rank_(rank), groups_(groups) {}
  template <class P>
  thread_block_tile(const thread_block_tile<SIZE, P>& t)
      : cuemu_lanes(t.cuemu_mask()), rank_(t.meta_group_rank()), groups_(t.meta_group_size()) {}
  static constexpr unsigned size() { return SIZE; }
  static constexpr unsigned num_threads() { return SIZE; }
  unsigned thread_rank() const { return lane_ % SIZE; }
  unsigned meta_group_rank() const { return rank_; }
  unsigned meta_group_size() const { return groups_; }
};

class coalesced_group : public cuemu_lanes {
 public:
  coalesced_group(unsigned mask) : cuemu_lanes(mask) {}
  unsigned meta_group_rank() const { return 0; }
  unsigned meta_group_size() const { return 1; }
};
inline coalesced_group coalesced_threads(CUEMU_LINE) { return coalesced_group(::cuemu::active_mask(line)); }

template <unsigned SIZE, class P>
inline thread_block_tile<SIZE, P> tiled_partition(const P&) {
  if constexpr (std::is_same_v<P, thread_block>) return thread_block_tile<SIZE, P>();
  else return thread_block_tile<SIZE, P>(cuemu_detail::linear_thread() % P::size() / SIZE, P::size() / SIZE);
}
template <class P>
inline coalesced_group tiled_partition(const P&, unsigned size) {
  unsigned linear = cuemu_detail::linear_thread(), first = (linear & 31) / size * size;
  return coalesced_group(cuemu_detail::lanes_from(first, size));
}
template <class P>
inline coalesced_group binary_partition(const P& g, bool side, CUEMU_LINE) {
  unsigned yes = __ballot_sync(g.cuemu_mask(), side, line);
  return coalesced_group(side ? yes : g.cuemu_mask() & ~yes);
}
template <class P>
inline coalesced_group labeled_partition(const P& g, int label, CUEMU_LINE) {
  return coalesced_group(__match_any_sync(g.cuemu_mask(), label, line));
}

// Any group, its kind known at run time only.
class thread_group : public cuemu_lanes {
  bool block_;

 public:
  thread_group(const thread_block&) : cuemu_lanes(0), block_(true) {}
  template <unsigned SIZE, class P>
  thread_group(const thread_block_tile<SIZE, P>& t) : cuemu_lanes(t.cuemu_mask()), block_(false) {}
  thread_group(const coalesced_group& g) : cuemu_lanes(g.cuemu_mask()), block_(false) {}
  void sync(CUEMU_LINE) const {
    if (block_) ::cuemu::barrier(line);
    else cuemu_lanes::sync(line);
  }
  unsigned size() const { return block_ ? cuemu_detail::block_threads() : cuemu_lanes::size(); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return block_ ? cuemu_detail::linear_thread() : cuemu_lanes::thread_rank(); }
};
// The threads of the whole grid can be numbered in any launch; waiting for all of them needs a cooperative one.
class grid_group {
 public:
  unsigned long long thread_rank() const {
    unsigned long long block = blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    return block * cuemu_detail::block_threads() + cuemu_detail::linear_thread();
  }
  unsigned long long size() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * cuemu_detail::block_threads(); }
  unsigned long long num_threads() const { return size(); }
  dim3 group_dim() const { return gridDim; }
  dim3 dim_blocks() const { return gridDim; }
  bool is_valid() const { return false; }
  void sync(CUEMU_LINE) const { ::cuemu::unsupported("cooperative launches (grid.sync)", line); }
};
inline grid_group this_grid() { return {}; }
inline void sync(const thread_block&, CUEMU_LINE) { ::cuemu::barrier(line); }
template <class G>
inline void sync(const G& g, CUEMU_LINE) { g.sync(line); }
}  // namespace cooperative_groups
