// Barriers of a block and operations of a warp: who waits for whom, and what is wrong when nobody can come.
#pragma once
#include "run.h"

namespace cuemu {
// ---- barriers
static const char* op_name(int kind) {
  static const char* names[] = {"__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
                                "__ballot_sync", "__any_sync", "__all_sync", "__match_any_sync", "__match_all_sync",
                                "__reduce_add_sync", "__reduce_add_sync", "__reduce_min_sync", "__reduce_min_sync",
                                "__reduce_max_sync", "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync",
                                "__reduce_xor_sync", "__activemask"};
  return names[kind];
}
static void finish_barrier() {
  if (B.barrier_mixed || B.exited) {
    Report r{"divergent-barrier", B.barrier_mixed ? "barrier-two-places" : "barrier-early-exit"};
    r.line = B.barrier_line;
    r.thread = cur;
    r.a = B.exited;
    for (int t = 0; t < B.threads; t++) {
      bool other = B.barrier_mixed ? threads[t].alive && threads[t].line != B.barrier_line : !threads[t].alive;
      if (!other) continue;
      r.has_other = true;
      r.other_thread = threads[t].idx;
      r.other_block = cuemu_block_idx;
      if (B.barrier_mixed) r.other_line = threads[t].line;
      break;
    }
    for (int t = 0; t < B.threads && B.barrier_mixed; t++)
      if (threads[t].alive && threads[t].line == B.barrier_line) r.thread = &threads[t];
    report(r);
  }
  u32 clk = 0;
  for (int w = 0; w < B.warps; w++)
    if (warps[w].clk > clk) clk = warps[w].clk;
  clk++;
  if (B.fenced) {
    u64 all = 0;
    for (int t = 0; t < B.threads; t++)
      if (threads[t].acquired > all) all = threads[t].acquired;
    for (int t = 0; t < B.threads; t++) threads[t].acquired = all;
  }
  for (int w = 0; w < B.warps; w++) {
    Warp& wp = warps[w];
    wp.clk = wp.base = clk;
    wp.partial = false;
    wp.ready = wp.present & ~wp.exited;
    if (wp.ready) B.ready_warps |= 1u << w;
  }
  B.base = clk;
  F.base_span = (u64)(clk < MAX_CLOCK ? clk : MAX_CLOCK) << CLOCK_SHIFT;
  B.waiting = 0;
  B.barrier_mixed = false;
  B.idle = 0;
  B.barrier_result = B.barrier_kind == 0 ? B.barrier_count : B.barrier_kind == 1 ? B.barrier_and : B.barrier_or;
}
static void wait_barrier(int line) {
  if (cur->suspect.address) commit_suspect();
  cur->line = line;
  cur->at_barrier = true;
  if (B.waiting == 0) B.barrier_line = line;
  else if (B.barrier_line != line) B.barrier_mixed = true;
  B.waiting++;
  park();
  if (B.waiting == B.alive) {
    if (pending.on) resolve_pending();
    finish_barrier();
  } else {
    switch_to(pick());
  }
  cur->at_barrier = false;
  refresh();
}
void barrier(int line) {
  if (!kernel_mode) return unsupported("__syncthreads() on the host", line);
  wait_barrier(line);
}
int barrier_reduce(int kind, int predicate, int line) {
  if (B.waiting == 0) {
    B.barrier_kind = kind;
    B.barrier_count = B.barrier_or = 0;
    B.barrier_and = 1;
  }
  B.barrier_count += predicate != 0;
  B.barrier_and &= predicate != 0;
  B.barrier_or |= predicate != 0;
  wait_barrier(line);
  return B.barrier_result;
}

// ---- warp operations
static u64 poison_value(u64 seed) {
  // Two schedules use two poisons: a result that depends on one is found by comparing them.
  return schedule.poison ? 0x7f4dc0de7f4dc0deull ^ (seed << 3) : 0xff3bad5eff3bad5eull ^ seed;
}
static void order_lanes(int w, unsigned mask) {
  Warp& wp = warps[w];
  wp.clk++;
  unsigned alive = wp.present & ~wp.exited;
  if (B.fenced) {
    u64 all = 0;
    for (unsigned m = mask; m; m &= m - 1) {
      Thread& t = threads[w * 32 + __builtin_ctz(m)];
      if (t.acquired > all) all = t.acquired;
    }
    for (unsigned m = mask; m; m &= m - 1) threads[w * 32 + __builtin_ctz(m)].acquired = all;
  }
  if ((mask & alive) == alive) {
    wp.base = wp.clk;
    wp.partial = false;
    return;
  }
  if (!known) known = (u32(*)[32][32])calloc(32, sizeof(*known));
  auto& k = known[w];
  if (!wp.partial) {
    for (auto& row : k)
      for (u32& v : row) v = wp.base;
    wp.partial = true;
  }
  u32 joined[32] = {};
  for (unsigned m = mask; m; m &= m - 1)
    for (int j = 0, i = __builtin_ctz(m); j < 32; j++)
      if (k[i][j] > joined[j]) joined[j] = k[i][j];
  for (unsigned m = mask; m; m &= m - 1) joined[__builtin_ctz(m)] = wp.clk;
  for (unsigned m = mask; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    memcpy(k[i], joined, sizeof(joined));
    threads[w * 32 + i].clk = wp.clk;
  }
}
static __attribute__((noinline, cold)) void inactive(Thread& t, int source, int line, int reason) {
  poison_used = true;
  Report r{"inactive-lane", reason == 0 ? "lane-missing" : reason == 1 ? "lane-exited" : "lane-not-in-mask"};
  r.line = line;
  r.thread = &t;
  r.a = source;
  r.words = op_name(t.kind);
  // A result that is thrown away does no harm: the caller settles this by a second run with another poison.
  report(r);
}
// Which lane a shuffle reads; the caller's own where the distance leads out of its segment.
static inline int source_of(int kind, int lane, int arg, int width) {
  int start = lane & ~(width - 1);
  switch (kind) {
    case SHFL: return start + (arg & (width - 1));
    case SHFL_UP: return (u32)arg > 31 || lane - arg < start ? lane : lane - arg;
    case SHFL_DOWN: return (u32)arg > 31 || lane + arg >= start + width ? lane : lane + arg;
    default: return (u32)arg > 31 || (lane ^ arg) >= start + width ? lane : lane ^ arg;
  }
}
template <int KIND>
static inline void shuffle(int w, const Group& g) {
  Warp& wp = warps[w];
  for (unsigned m = g.arrived; m; m &= m - 1) {
    int i = __builtin_ctz(m), source = source_of(KIND, i, wp.arg[i], wp.width[i]);
    if (__builtin_expect(g.arrived >> source & 1, 1)) {
      wp.result[i] = wp.value[source];
    } else {
      wp.result[i] = poison_value((u64)i);
      int reason = !(wp.present >> source & 1) ? 0 : (wp.exited >> source & 1) ? 1 : 2;
      inactive(threads[w * 32 + i], source, g.line, reason);
    }
  }
}
static u64 combine(int kind, const Warp& wp, unsigned in) {
  u64 sum = 0, low = ~0ull, high = 0, bits_and = ~0ull, bits_or = 0, bits_xor = 0;
  int slow = INT32_MAX, shigh = INT32_MIN;
  unsigned any = 0;
  for (unsigned m = in; m; m &= m - 1) {
    int i = __builtin_ctz(m);
    u64 v = wp.value[i];
    int s = (int)v;
    if (v) any |= 1u << i;
    sum += v;
    low = v < low ? v : low, high = v > high ? v : high;
    slow = s < slow ? s : slow, shigh = s > shigh ? s : shigh;
    bits_and &= v, bits_or |= v, bits_xor ^= v;
  }
  switch (kind) {
    case BALLOT: return any;
    case ANY: return any != 0;
    case ALL: return any == in;
    case MATCH_ALL: return low == high ? in : 0;
    case ADD_U: case ADD_S: return (u32)sum;
    case MIN_U: return low;
    case MAX_U: return high;
    case MIN_S: return (u64)(int64_t)slow;
    case MAX_S: return (u64)(int64_t)shigh;
    case AND: return bits_and;
    case OR: return bits_or;
    default: return bits_xor;
  }
}
static __attribute__((noinline)) void finish_warp(int w, const Group& g) {
  Warp& wp = warps[w];
  unsigned in = g.arrived;
  switch (g.kind) {
    case SYNC: break;
    case SHFL: shuffle<SHFL>(w, g); break;
    case SHFL_UP: shuffle<SHFL_UP>(w, g); break;
    case SHFL_DOWN: shuffle<SHFL_DOWN>(w, g); break;
    case SHFL_XOR: shuffle<SHFL_XOR>(w, g); break;
    case MATCH_ANY:
      for (unsigned m = in; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        unsigned same = 0;
        for (unsigned n = in; n; n &= n - 1)
          if (wp.value[__builtin_ctz(n)] == wp.value[i]) same |= n & -n;
        wp.result[i] = same;
      }
      break;
    default: {
      u64 all = combine(g.kind, wp, in);
      for (unsigned m = in; m; m &= m - 1) wp.result[__builtin_ctz(m)] = all;
    }
  }
  order_lanes(w, in);
  set_ready((unsigned)w, in);
  B.idle = 0;
}
// Lets lanes go on that asked which lanes are active, now that no other lane of the warp can come.
static bool gather(int w) {
  Warp& wp = warps[w];
  for (int i = 0; i < wp.groups; i++) {
    if (wp.group[i].kind != ACTIVE) continue;
    unsigned in = wp.group[i].arrived;
    wp.group[i] = wp.group[--wp.groups];
    for (unsigned m = in; m; m &= m - 1) wp.result[__builtin_ctz(m)] = in;
    set_ready((unsigned)w, in);
    B.idle = 0;
    return true;
  }
  return false;
}
static void went_past(const Warp& wp, int w, const Group& g);
static bool try_finish(int w, int i) {
  Warp& wp = warps[w];
  Group& g = wp.group[i];
  unsigned need = g.mask & wp.present & ~wp.exited;
  if (g.kind == ACTIVE || (g.arrived & need) != need) return false;
  if (__builtin_expect(g.mask & wp.exited, 0)) went_past(wp, w, g);
  Group done = g;
  g = wp.group[--wp.groups];
  finish_warp(w, done);
  return true;
}
static __attribute__((noinline, cold)) u64 not_in_mask(const Thread* t, int kind, unsigned mask, int line) {
  Report r{"inactive-lane", "caller-not-in-mask"};
  r.line = line;
  r.thread = t;
  r.words = op_name(kind);
  r.a = mask;
  report(r);
  return kind >= BALLOT ? 0 : poison_value(t->lane);
}
static __attribute__((noinline, cold)) void went_past(const Warp& wp, int w, const Group& g) {
  for (unsigned m = g.mask & wp.exited; m; m &= m - 1) {
    // A lane that returned before the operation is allowed to be missing; one that went past it is not.
    Thread& gone = threads[w * 32 + __builtin_ctz(m)];
    if (gone.left != -1) continue;
    Report r{"inactive-lane", "lane-went-past"};
    r.line = g.line;
    r.thread = &threads[w * 32 + __builtin_ctz(g.arrived)];
    r.a = gone.lane;
    r.words = op_name(g.kind);
    report(r);
    break;
  }
}
uint64_t warp_op(int kind, unsigned mask, uint64_t value, int bytes, int arg, int width, int line) {
  if (!kernel_mode) {
    unsupported(op_name(kind), line);
    return value;
  }
  Thread* t = cur;
  if (t->suspect.address) commit_suspect();
  Warp& w = warps[t->warp];
  unsigned me = 1u << t->lane;
  if (width <= 0 || width > 32 || (width & (width - 1))) width = 32;
  if (__builtin_expect(!(mask & me), 0)) return not_in_mask(t, kind, mask, line);
  (void)bytes;
  t->kind = kind, t->mask = mask, t->line = line;
  w.value[t->lane] = value, w.arg[t->lane] = arg, w.width[t->lane] = (u8)width;
  int i = 0;
  for (; i < w.groups; i++)
    if (w.group[i].line == line && w.group[i].kind == kind && w.group[i].mask == mask) break;
  if (i == w.groups) w.group[w.groups++] = {kind, line, mask, 0};
  w.group[i].arrived |= me;
  unsigned need = mask & w.present & ~w.exited;
  if ((w.group[i].arrived & need) == need) {
    if (pending.on) resolve_pending();
    try_finish(t->warp, i);
    refresh();
  } else {
    park();
    switch_to(pick());
  }
  return w.result[t->lane];
}
// The lanes that are here: those that come before the warp has nothing else left to run.
unsigned active_mask(int line) {
  if (!kernel_mode) return 1;
  order_sensitive = true;
  Thread* t = cur;
  Warp& w = warps[t->warp];
  t->kind = ACTIVE, t->line = line, t->mask = 0;
  int i = 0;
  while (i < w.groups && !(w.group[i].kind == ACTIVE && w.group[i].line == line)) i++;
  if (i == w.groups) w.group[w.groups++] = {ACTIVE, line, 0, 0};
  w.group[i].arrived |= 1u << t->lane;
  park();
  if (w.ready) {
    switch_to(pick());
  } else {
    gather(t->warp);
    if (!(w.ready >> t->lane & 1)) switch_to(pick());
    else refresh();
  }
  return (unsigned)w.result[t->lane];
}

// A `return` of a kernel before its end (the rewriter marks them).
void leaves(int line) {
  if (kernel_mode) cur->left = line;
}

// Every thread waits for something that cannot happen any more.
static void stuck() {
  Report r{"divergent-barrier", "stuck-barrier"};
  const Thread* at_barrier = nullptr;
  const Thread* at_warp = nullptr;
  const Thread* second = nullptr;
  for (int i = 0; i < B.threads; i++) {
    Thread& t = threads[i];
    if (!t.alive) continue;
    if (t.at_barrier) {
      if (!at_barrier) at_barrier = &t;
    } else if (!at_warp) {
      at_warp = &t;
    } else if (!second && t.warp == at_warp->warp && (t.line != at_warp->line || t.kind != at_warp->kind || t.mask != at_warp->mask)) {
      second = &t;
    }
  }
  if (!second) second = at_barrier;
  if (at_warp) {
    r.id = second ? (second->at_barrier ? "stuck-warp-barrier" : "stuck-warp-warp") : "stuck-warp";
    r.thread = at_warp;
    r.line = at_warp->line;
    r.words = op_name(at_warp->kind);
    unsigned missing = at_warp->mask & warps[at_warp->warp].present & ~warps[at_warp->warp].exited;
    for (unsigned m = missing; m; m &= m - 1) {
      const Thread& t = threads[at_warp->warp * 32 + __builtin_ctz(m)];
      if (t.line == at_warp->line && t.kind == at_warp->kind && !t.at_barrier && t.mask == at_warp->mask) missing &= ~(1u << t.lane);
    }
    r.a = missing ? __builtin_ctz(missing) : -1;
    if (second) r.name = second->at_barrier ? "__syncthreads" : op_name(second->kind);
  } else {
    r.thread = at_barrier;
    r.line = at_barrier ? at_barrier->line : 0;
  }
  if (second && second != r.thread) {
    r.has_other = true;
    r.other_thread = second->idx;
    r.other_block = cuemu_block_idx;
    r.other_line = second->line;
  }
  report(r);
  abort_launch(cudaErrorLaunchTimeout);
}
}  // namespace cuemu
