// Memory as host code sees it: what it may touch, and when.
#pragma once
#include "memory.h"

namespace cuemu {
// ---- the learner's own host memory. Blocks of some size that its code asks for lie in the arena too, so that host
// code is checked like a kernel; a program that asks for thousands gets the rest from the C library.
constexpr u64 HEAP_LEAST = 256, HEAP_MOST = 64ull << 20;
static u32 heap_blocks;
void host_reads_fill(u64 p, u64 n, u64 pc) {
  if (n < 4 || calls_failed()) return;  // after an error the copies that would have filled it did not run
  Report r{"uninitialised", "host-reads-poison"};
  set_site(r, pc);
  describe(p, r);
  report(r);
  for (u64 at = p & ~3ull; at < p + n; at += 4)
    if (*(u32*)at == HOST_FILL) *(u32*)at = 0;
}
static void* heap_allocate(u64 n, bool zero) {
  if (!heap_on || kernel_mode || n < HEAP_LEAST || n > HEAP_MOST || heap_blocks >= 4000) return nullptr;
  Allocation* a = allocate(n, HOST, 0);
  if (!a) return nullptr;
  heap_blocks++;
  u32* at = (u32*)(ARENA + a->off);
  if (zero) memset(at, 0, n);
  else for (u64 i = 0; i < (n + 3) / 4; i++) at[i] = HOST_FILL;
  return at;
}
static void heap_free(void* p) {
  Allocation* a = allocation_at((u64)p - ARENA);
  if (a && a->freed) {
    Report r{"use-after-free", "freed-twice"};
    describe((u64)p, r);
    r.pc = (u64)__builtin_return_address(0) - 1;
    report(r);
    return;
  }
  if (a && a->space == HOST && ARENA + a->off == (u64)p) release_allocation(*a, 0);
}

// The outstanding work that an access of the host collides with, or null.
std::vector<Outstanding> outstanding;
const Outstanding* touched_by(u64 p, u64 n, bool host_writes) {
  for (const Outstanding& o : outstanding) {
    if (o.last_serial == 0) {
      if (p < o.hi && p + n > o.lo && (o.writes || host_writes)) return &o;
      continue;
    }
    for (u64 at = p & ~3ull; at < p + n; at += 4) {
      const Cell* c = cell_at(at - ARENA);
      u32 w = serial_of(c->w), r = serial_of(c->r);
      if ((w >= o.first_serial && w <= o.last_serial) || (host_writes && r >= o.first_serial && r <= o.last_serial)) return &o;
    }
  }
  return nullptr;
}
void host_access(u64 p, u64 n, bool write, u64 pc) {
  u64 off = p - ARENA;
  u16 v = host_valid[off / PAGE];
  bool inside = (off & (PAGE - 1)) + n <= (u64)(v & VALID_BYTES);
  if (!inside && n > PAGE - (off & (PAGE - 1))) {
    inside = true;
    for (u64 at = off; at < off + n;) {
      u64 stop = std::min((at | (PAGE - 1)) + 1, off + n);
      if ((at & (PAGE - 1)) + (stop - at) > (u64)(host_valid[at / PAGE] & VALID_BYTES)) inside = false;
      at = stop;
    }
  }
  if (!inside) {
    if (valid[off / PAGE] || off >= SHARED_OFF) {
      Report r{"wrong-space", write ? "host-writes-device" : "host-reads-device"};
      set_site(r, pc);
      describe(p, r);
      report(r);
      end_run(139);
    }
    return fault(p, n, write, pc);
  }
  if (!outstanding.empty() && (v & HOST_KIND) != (HOST << 13)) {
    if (const Outstanding* o = touched_by(p, n, write)) {
      Report r{"race", write ? "host-writes-too-early" : "host-reads-too-early"};
      set_site(r, pc);
      r.other_line = o->line;
      describe(p, r);
      report(r);
    }
  }
  if (v & TAINTED) {
    for (u64 at = off; at < off + n; at++) {
      Cell* c = cell_at(at & ~3ull);
      u64 bit = 1ull << (at & 3);
      if (write) {
        c->w &= ~bit;
      } else if ((c->w & bit) && !calls_failed()) {
        Report r{"unwritten-output", "host-reads-unwritten"};
        set_site(r, pc);
        describe(p, r);
        report(r);
        c->w &= ~15ull;
      }
    }
  }
}
}  // namespace cuemu
