// Prefix sums over a tile or a coalesced group.
#pragma once
#include "reduce.h"

namespace cooperative_groups {
template <class G, class T, class Op>
inline T inclusive_scan(const G& g, T v, Op op, CUEMU_LINE) {
  unsigned n = (unsigned)__builtin_popcount(g.cuemu_mask()), me = g.thread_rank();
  T total = g.shfl(v, 0, line);
  for (unsigned r = 1; r < n; r++) {
    T next = g.shfl(v, r, line);
    if (r <= me) total = op(total, next);
  }
  return total;
}
template <class G, class T>
inline T inclusive_scan(const G& g, T v, CUEMU_LINE) { return inclusive_scan(g, v, plus<T>(), line); }
template <class G, class T>
inline T exclusive_scan(const G& g, T v, CUEMU_LINE) { return inclusive_scan(g, v, plus<T>(), line) - v; }
}  // namespace cooperative_groups
