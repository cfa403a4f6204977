// Reductions over a tile or a coalesced group.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

// Every lane adds up in the same order, so all get the same bits.
template <class G, class T, class Op>
inline T reduce(const G& g, T v, Op op, CUEMU_LINE) {
  unsigned n = (unsigned)__builtin_popcount(g.cuemu_mask());
  T total = g.shfl(v, 0, line);
  for (unsigned r = 1; r < n; r++) total = op(total, g.shfl(v, r, line));
  return total;
}
}  // namespace cooperative_groups
