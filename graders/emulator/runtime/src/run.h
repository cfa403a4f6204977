// Threads as fibers: which one runs, and how it gives way to another.
#pragma once
#include <algorithm>
#include <signal.h>
#include <sys/mman.h>

#include "fiber.h"
#include "shadow.h"

// Written here, read as constants by the learner's code (device.h).
uint3 cuemu_thread_idx asm("threadIdx"), cuemu_block_idx asm("blockIdx");
dim3 cuemu_block_dim asm("blockDim"), cuemu_grid_dim asm("gridDim");

namespace cuemu {

Thread threads[MAX_THREADS];
Warp warps[32];
Block B;
Launch L;
Schedule schedule;
Thread* cur;
bool kernel_mode, aborted;
int abort_code;
bool order_sensitive, poison_used;
static void* host_sp;
static u32 next_serial = 1;
static bool stack_ready[MAX_THREADS];
constexpr long long IDLE_NANOSECONDS = 1000000000;

void commit_suspect();
void waited_for_later_block(int line);
static void thread_main();

uint3 thread_index(u32 tid) { return threads[tid].idx; }
uint3 block_index(u64 i) {
  const dim3& g = L.config.grid;
  return {(unsigned)(i % g.x), (unsigned)(i / g.x % g.y), (unsigned)(i / g.x / g.y)};
}
static u32 random_bits() {
  B.rng ^= B.rng << 13;
  B.rng ^= B.rng >> 17;
  B.rng ^= B.rng << 5;
  return B.rng;
}

// ---- running threads
static inline void refresh() {
  const Warp& w = warps[cur->warp];
  if (cur->clk < w.base) cur->clk = w.base;
  u64 clk = cur->clk < MAX_CLOCK ? cur->clk : MAX_CLOCK;
  F.me = F.serial_lo | clk << CLOCK_SHIFT | (u64)cur->tid << THREAD_SHIFT;
}
static inline void enter(Thread* t) {
  cur = t;
  cuemu_thread_idx = t->idx;
  refresh();
}
static inline int pick_bit(unsigned bits) {
  if (schedule.order == ASCENDING) return __builtin_ctz(bits);
  if (schedule.order == DESCENDING) return 31 - __builtin_clz(bits);
  unsigned turn = random_bits() & 31;
  unsigned rotated = (bits >> turn) | (turn ? bits << (32 - turn) : 0);
  return (__builtin_ctz(rotated) + turn) & 31;
}
static void stuck();
static bool gather(int w);
static inline Thread* pick() {
  unsigned w = cur->warp;
  if (!warps[w].ready && warps[w].groups) gather((int)w);
  if (!warps[w].ready) {
    for (int i = 0; i < B.warps && !B.ready_warps; i++) gather(i);
    if (!B.ready_warps) stuck();
    w = pick_bit(B.ready_warps);
  }
  return &threads[w * 32 + pick_bit(warps[w].ready)];
}
static inline void switch_to(Thread* t) {
  Thread* from = cur;
  if (t == from) return;
  if (__builtin_expect(pending.on, 0)) resolve_pending();
  enter(t);
  cuemu_switch(&from->sp, t->sp);
}
static void to_host() {
  Thread* from = cur;
  cuemu_switch(&from->sp, host_sp);
  __builtin_unreachable();
}
static inline void set_ready(unsigned w, unsigned lanes) {
  warps[w].ready |= lanes;
  B.ready_warps |= 1u << w;
}
static inline void park() {
  Warp& w = warps[cur->warp];
  w.ready &= ~(1u << cur->lane);
  if (!w.ready) B.ready_warps &= ~(1u << cur->warp);
}
[[noreturn]] void abort_launch(int code) {
  aborted = true;
  abort_code = code;
  to_host();
  __builtin_unreachable();
}

// A block that waits for a later one would get what it waits for on a GPU, where both are there at once. So the blocks
// that are left run too, unseen, and if one of them changes the word that was polled, the wait is no mistake.
static bool probing;
static u64 waits_for;

// Polls in a row without anything changing, for longer than any honest wait: nobody will come.
static bool idle_too_long() {
  static long long since;
  long long now = ticks();
  if (B.idle == 0x10000) since = now;
  return now - since > (probing ? IDLE_NANOSECONDS / 20 : IDLE_NANOSECONDS);
}

// A thread polls: let another one go first, in rotation so that the one it waits for gets its turn.
static void poll() {
  if (!kernel_mode) return;
  order_sensitive = true;
  if ((++B.idle & 0xffff) == 0 && idle_too_long()) {
    if (probing) abort_launch(cudaErrorLaunchTimeout);
    if (cur->polled && L.blocks_left) waits_for = cur->polled;
    Report r{"no-progress", "spin"};
    r.thread = cur;
    if (cur->polled_by & LINE_SITE || !cur->polled_by) r.line = cur->line;
    else set_site(r, cur->polled_by);
    report(r);
    abort_launch(cudaErrorLaunchTimeout);
  }
  if (warps[cur->warp].ready == (1u << cur->lane) && B.ready_warps == (1u << cur->warp)) return;
  unsigned above = cur->lane == 31 ? 0 : warps[cur->warp].ready & (~0u << (cur->lane + 1));
  if (above) return switch_to(&threads[cur->warp * 32 + __builtin_ctz(above)]);
  unsigned later = cur->warp == 31 ? 0 : B.ready_warps & (~0u << (cur->warp + 1));
  unsigned w = later ? __builtin_ctz(later) : __builtin_ctz(B.ready_warps);
  switch_to(&threads[w * 32 + __builtin_ctz(warps[w].ready)]);
}
}  // namespace cuemu
