// Fences, the two ends of an atomic, and the life of a thread, a block and a launch.
#pragma once
#include "warp.h"

namespace cuemu {
// ---- fences and the two ends of an atomic
static BlockLog& block_log() {
  u32 slot = B.serial - L.first_serial;
  if (L.logs.size() <= slot) L.logs.resize(slot + 1, nullptr);
  if (!L.logs[slot]) L.logs[slot] = new BlockLog;
  BlockLog& log = *L.logs[slot];
  if (log.fence_clk.empty()) log.fence_clk.resize(B.threads, 0);
  return log;
}
void fence(int scope) {
  (void)scope;
  if (!kernel_mode) return;
  Warp& w = warps[cur->warp];
  cur->clk = ++w.clk;
  cur->fence_clk = cur->clk;
  cur->fence_base = w.base;
  block_log().fence_clk[cur->tid] = cur->clk;
  refresh();
}
static void acquire(u64 address) {
  if (L.synchronisers.empty()) return;
  auto it = L.synchronisers.find(address);
  if (it == L.synchronisers.end()) return;
  if (it->second > cur->acquired) cur->acquired = it->second;
  B.fenced = true;
}
static void release(u64 address) {
  u32 slot = B.serial - L.first_serial;
  if (slot >= L.logs.size() || !L.logs[slot]) return;  // no fence in this block so far: publishes nothing
  u64 seq = ++L.release_seq;
  L.logs[slot]->releases.push_back({seq, cur->tid, cur->fence_clk, cur->fence_base, B.base});
  L.synchronisers[address] = seq;
}
void atomic_access(u64 p, int bytes, int kind, u64 site);
void atomic_begin(void* address, size_t bytes, int kind, int line) {
  order_sensitive |= kernel_mode;
  if (kernel_mode) {
    cur->line = line;
    cur->polled = (u64)address;
    cur->polled_by = 0;
    acquire((u64)address);
  }
  atomic_access((u64)address, (int)bytes, kind, LINE_SITE | (u64)line);
  if (kernel_mode) release((u64)address);
}
void atomic_end(bool changed) {
  if (!kernel_mode) return;
  if (!changed) return poll();
  B.idle = 0;
  if (schedule.order == SEEDED && (random_bits() & 7) == 0) {
    u64 idle = B.idle;
    poll();
    B.idle = idle;
  }
}
// A volatile load of global memory is how flags are polled.
static void volatile_read(u64 p, u64 pc, int bytes) {
  if (!kernel_mode || p - ARENA >= ARENA_SIZE || p - ARENA >= SHARED_OFF) return;
  acquire(p);
  (void)pc, (void)bytes;
}
static void volatile_poll(u64 p, u64 pc) {
  if (!kernel_mode) return;
  cur->polled_by = pc;
  if (cur->polled != p) {
    cur->polled = p;
    cur->polls = 0;
    B.idle = 0;
  } else if (++cur->polls > 16) {
    poll();
  }
}

// ---- a thread's life, a block's, a launch's
static void thread_main() {
  L.thunk(L.closure);
  if (cur->suspect.address) commit_suspect();
  if (pending.on) resolve_pending();
  Thread* t = cur;
  t->alive = false;
  if (t->left == 0) t->left = -1;
  B.alive--;
  B.exited++;
  B.idle = 0;
  park();
  Warp& w = warps[t->warp];
  w.exited |= 1u << t->lane;
  for (int i = 0; i < w.groups;)
    if (!try_finish(t->warp, i)) i++;
  if (B.alive == 0) to_host();
  if (B.waiting == B.alive) finish_barrier();
  Thread* next = pick();
  enter(next);
  void* gone;
  cuemu_switch(&gone, next->sp);
  __builtin_unreachable();
}
static char* stack_top(int t) {
  // Tops are staggered, so that the hot ends of many stacks do not fall into the same cache sets.
  return (char*)STACKS + (u64)(t + 1) * STACK_SIZE - 64 - (t % 61) * 320;
}
static void prepare_stack(int t) {
  if (stack_ready[t]) return;
  stack_ready[t] = true;
  mprotect((void*)(STACKS + (u64)t * STACK_SIZE), PAGE, PROT_NONE);
}
static long long block_started;  // when the running block began: tells a slow program from one that hangs
static void run_block(u64 index) {
  block_started = ticks();
  const dim3& b = L.config.block;
  cuemu_block_idx = block_index(index);
  u32 serial = next_serial++;
  int n = (int)(b.x * b.y * b.z);
  B.threads = B.alive = n;
  B.warps = (n + 31) / 32;
  B.waiting = B.exited = 0;
  B.ready_warps = B.warps == 32 ? ~0u : (1u << B.warps) - 1;
  B.serial = serial;
  B.base = 0;
  B.fenced = false;
  B.barrier_mixed = false;
  B.idle = 0;
  B.index = index;
  F.serial_lo = (u64)serial << SERIAL_SHIFT;
  F.base_span = 0;
  for (int w = 0; w < B.warps; w++) {
    int lanes = n - w * 32 < 32 ? n - w * 32 : 32;
    Warp& wp = warps[w];
    wp.present = lanes == 32 ? ~0u : (1u << lanes) - 1;
    wp.ready = wp.present;
    wp.exited = 0;
    wp.clk = wp.base = 0;
    wp.partial = false;
    wp.groups = 0;
  }
  for (int t = 0; t < n; t++) {
    Thread& th = threads[t];
    th.sp = fresh_stack(stack_top(t), thread_main);
    th.alive = true;
    th.at_barrier = false;
    th.clk = th.fence_clk = th.fence_base = th.polls = 0;
    th.acquired = 0;
    th.suspect.address = 0;
    th.line = 0;
    th.left = 0;
  }
  kernel_mode = true;
  F.special = 0;
  F.quiet_lo = STACKS;
  F.quiet_len = STACKS_SIZE;
  cur = &threads[0];
  Thread* first = &threads[0];
  unsigned w = pick_bit(B.ready_warps);
  first = &threads[w * 32 + pick_bit(warps[w].ready)];
  enter(first);
  cuemu_switch(&host_sp, first->sp);
  if (pending.on) resolve_pending();
  kernel_mode = false;
  F.special = 1;
  F.quiet_lo = 0;
  F.quiet_len = ~0ull;
}

static void probe(u64 from, u64 blocks) {
  u64 address = waits_for, before = 0, after = 0;
  int code = abort_code;
  waits_for = 0;
  u64 bytes = address % 8 ? 4 : 8;
  memcpy(&before, (void*)address, bytes);
  probing = true;
  long long start = ticks();
  for (u64 i = from; i < blocks && next_serial < MAX_SERIAL && ticks() - start < IDLE_NANOSECONDS; i++) {
    aborted = false;
    run_block(L.order.empty() ? i : L.order[i]);
    memcpy(&after, (void*)address, bytes);
    if (before != after || (schedule.order != ASCENDING && !aborted)) {
      probing = false;
      waited_for_later_block(threads[0].line);
      break;
    }
  }
  probing = false;
  aborted = true;
  abort_code = code;
}
void forget_serials();
static void run_grid() {
  const dim3 &g = L.config.grid, &b = L.config.block;
  u64 blocks = (u64)g.x * g.y * g.z;
  cuemu_block_dim = b;
  cuemu_grid_dim = g;
  int n = (int)(b.x * b.y * b.z);
  for (int t = 0; t < n; t++) {
    Thread& th = threads[t];
    th.tid = (u16)t;
    th.lane = t & 31;
    th.warp = (u8)(t >> 5);
    th.idx = {t % b.x, t / b.x % b.y, t / b.x / b.y};
    prepare_stack(t);
  }
  if (next_serial + (blocks < MAX_SERIAL ? blocks : MAX_SERIAL - 1) > MAX_SERIAL) {
    forget_serials();
    outstanding.clear();
    L.concurrent.clear();
    next_serial = 1;
  }
  L.first_serial = next_serial;
  F.launch_lo = (u64)next_serial << SERIAL_SHIFT;
  for (const Concurrent& c : L.concurrent) F.launch_lo = std::min(F.launch_lo, (u64)c.first << SERIAL_SHIFT);
  B.rng = schedule.seed * 2654435761u | 1;
  L.order.clear();
  if (schedule.order != ASCENDING) {
    L.order.resize(blocks);
    for (u64 i = 0; i < blocks; i++) L.order[i] = (u32)(schedule.order == DESCENDING ? blocks - 1 - i : i);
    if (schedule.order == SEEDED)
      for (u64 i = blocks; i > 1; i--) std::swap(L.order[i - 1], L.order[random_bits() % i]);
  }
  aborted = false;
  for (u64 i = 0; i < blocks && !aborted; i++) {
    if (next_serial >= MAX_SERIAL) {
      forget_serials();
      next_serial = 1;
      L.first_serial = 1;
      F.launch_lo = 1ull << SERIAL_SHIFT;
    }
    L.blocks_left = blocks - 1 - i;
    run_block(L.order.empty() ? i : L.order[i]);
    if (aborted && waits_for) probe(i + 1, blocks);
  }
  for (BlockLog* log : L.logs) delete log;
  L.logs.clear();
  L.synchronisers.clear();
  L.release_seq = 0;
}
}  // namespace cuemu
