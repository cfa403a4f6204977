// The checker: what -fsanitize=thread calls for every load and store, and the rules of what is a mistake.
#pragma once
#include "state.h"

extern "C" char __executable_start, end;

namespace cuemu {

alignas(64) Fast F{0, 0, 0, 0, 0, ~0ull, 1};
u16 valid[ARENA_SIZE / PAGE], host_valid[ARENA_SIZE / PAGE];

constexpr u64 SAME_THREAD = (0xfffffull << SERIAL_SHIFT) | (1023ull << THREAD_SHIFT);

// ---- sites: a code address or a source line, numbered so that a cell can hold it
static u64 sites[MAX_SITES];
constexpr u64 LINE_SITE = 1ull << 63;
static u32 add_site(u64 key, u32 h) {
  for (u32 i = 0; i < 64; i++, h = (h + 1) & (MAX_SITES - 1)) {
    if (sites[h] == key) return h;
    if (sites[h] == 0 && h != 0) {
      sites[h] = key;
      return h;
    }
  }
  return 0;
}
static inline u32 site_id(u64 key) {
  u32 h = (u32)((key * 0x9E3779B97F4A7C15ull) >> 53);
  return __builtin_expect(sites[h] == key, 1) ? h : add_site(key, h);
}
static void set_site(Report& r, u64 key, bool other = false) {
  if (key & LINE_SITE) (other ? r.other_line : r.line) = (int)(key & 0xffffff);
  else (other ? r.other_pc : r.pc) = key;
}

// ---- a write that collides with another thread's write is a race only if it changes the value: look after it
struct Pending {
  bool on = false;
  u64 address = 0;
  int bytes = 0;
  u8 old[16];
  Report race;
  Thread who;
};
static Pending pending;
void resolve_pending() {
  if (!pending.on) return;
  pending.on = false;
  F.special = kernel_mode ? 0 : 1;
  if (memcmp((void*)pending.address, pending.old, pending.bytes) != 0) {
    pending.race.thread = &pending.who;
    report(pending.race);
  }
}

// ---- order between two accesses
static bool released_to_me(u64 v) {
  if (!cur->acquired) return false;
  u32 slot = serial_of(v) - L.first_serial;
  if (slot >= L.logs.size() || !L.logs[slot]) return false;
  const BlockLog& log = *L.logs[slot];
  u32 clk = clock_of(v), tid = thread_of(v);
  u32 own = tid < log.fence_clk.size() ? log.fence_clk[tid] : 0;
  int looked = 0;
  for (size_t i = log.releases.size(); i-- > 0 && looked < 4096; looked++) {
    const Release& rel = log.releases[i];
    if (rel.seq > cur->acquired) continue;
    if (rel.tid == tid && clk < rel.fence_clk) return true;
    if (clk < rel.fence_base) return true;
    if (clk < own && own <= rel.base) return true;
  }
  return false;
}
static bool in_host_memory(u64 p);
static u32 (*known)[32][32];  // [warp][lane][other lane]: the clock below which the other lane's accesses come first
static const Concurrent* concurrent_with(u32 serial) {
  for (const Concurrent& c : L.concurrent)
    if (serial >= c.first && serial <= c.last) return &c;
  return nullptr;
}
static bool before_me(u64 v) {
  if (serial_of(v) == B.serial) {
    u32 tid = thread_of(v), clk = clock_of(v);
    if (tid == cur->tid || clk < B.base || clk >= MAX_CLOCK) return true;
    if (tid / 32 == cur->warp) {
      const Warp& w = warps[cur->warp];
      if (clk < w.base) return true;
      if (w.partial && known[cur->warp][cur->lane][tid & 31] > clk) return true;
    }
  }
  if (serial_of(v) < L.first_serial) return !concurrent_with(serial_of(v));
  return released_to_me(v);
}
static void set_other(Report& r, u64 v) {
  set_site(r, sites[site_of(v)], true);
  r.has_other = true;
  r.other_thread = thread_index(thread_of(v));
  u32 slot = serial_of(v) - L.first_serial;
  r.other_block = block_index(slot < L.order.size() ? L.order[slot] : slot);
}
static Report race_report(u64 p, u64 site, u64 other, bool i_write, bool other_wrote, bool shared) {
  Report r{"race", nullptr};
  if (serial_of(other) < L.first_serial) {
    r.id = "race-streams";
    set_site(r, site);
    set_site(r, sites[site_of(other)], true);
    const Concurrent* c = concurrent_with(serial_of(other));
    r.a = c ? c->line : 0;
    r.b = L.line;
    r.thread = cur;
    describe(p, r);
    return r;
  }
  bool same_block = serial_of(other) == B.serial;
  set_site(r, site);
  set_other(r, other);
  r.thread = cur;
  describe(p, r);
  if (i_write && other_wrote) r.id = same_block ? "race-write-write" : "race-blocks-write-write";
  else if (i_write) r.id = same_block ? "race-write-after-read" : "race-blocks-write-after-read";
  else r.id = same_block ? (shared ? "race-read-early" : "race-read-global") : "race-blocks-read-early";
  return r;
}

// The slow half of a load: something about the cell is not plainly fine.
static __attribute__((noinline)) void slow_read(Cell* c, u64 p, u32 mask, u64 site, bool atomic, bool shared, bool lenient) {
  u64 w = c->w;
  if (shared && serial_of(w) != B.serial) w = 0;
  if ((w & mask) != mask && *(u32*)(p & ~3ull) != 0xa5a5a5a5u && in_host_memory(p)) c->w |= mask;  // the host wrote it, unseen
  else if ((w & mask) != mask && !(lenient && ((w & mask) || atomic))) {
    Report r{"uninitialised", shared ? "uninitialised-shared" : "uninitialised-global"};
    set_site(r, site);
    r.thread = cur;
    describe(p, r);
    report(r);
    return;
  }
  if (w >= (shared ? F.serial_lo : F.launch_lo) && (mask_of(w) & mask) && !((w & ATOMIC) && atomic) && !before_me(w)) {
    if (w & ATOMIC) {
      // `old = *p; do { assumed = old; old = atomicCAS(p, ...) }` is sound: wait for this thread's next step.
      if (cur->suspect.address == 0) cur->suspect = {p, site, w};
      return;
    }
    report(race_report(p, site, w, false, true, shared));
  }
}
static __attribute__((noinline)) void merge_read(Cell* c, u64 mine, u32 mask, bool shared) {
  u64 r = c->r;
  if (!(mask_of(r) & mask)) {
    c->r = mine;
    return;
  }
  if (serial_of(r) < L.first_serial) c->r = mine;
  else if (serial_of(r) != B.serial) c->r = mine | MANY_BLOCKS;
  else if (((r ^ F.me) & SAME_THREAD) == 0) c->r = mine | (r & (MANY_THREADS | MANY_BLOCKS));
  else if (before_me(r)) c->r = mine | (r & MANY_BLOCKS);
  else c->r = r | MANY_THREADS | (mine & (15ull << MASK_SHIFT));  // the other reader is the one a later write of mine hits
  (void)shared;
}
static __attribute__((noinline)) void slow_write(Cell* c, u64 p, u32 mask, u64 site, bool atomic, bool shared) {
  u64 lo = shared ? F.serial_lo : F.launch_lo;
  u64 w = c->w, r = c->r;
  if (w >= lo && (mask_of(w) & mask) && !((w & ATOMIC) && atomic) && !before_me(w)) {
    Report race = race_report(p, site, w, true, true, shared);
    if (atomic || (w & ATOMIC)) {
      if (serial_of(w) >= L.first_serial) race.id = serial_of(w) == B.serial ? "race-atomic-plain" : "race-blocks-atomic-plain";
      report(race);
    } else if (!pending.on) {
      pending.on = true;
      pending.address = p;
      pending.bytes = mask == 15 ? 4 : __builtin_popcount(mask);
      memcpy(pending.old, (void*)p, pending.bytes);
      pending.race = race;
      pending.who = *cur;
      F.special = 1;
    }
  }
  if (r >= lo && (mask_of(r) & mask) && !(((r & ATOMIC) != 0) && atomic)) {
    bool mine = ((r ^ F.me) & SAME_THREAD) == 0;
    bool clash = (!mine && !before_me(r)) || (serial_of(r) == B.serial && clock_of(r) >= B.base && (r & MANY_THREADS) && mine) ||
                 ((r & MANY_BLOCKS) && serial_of(r) >= L.first_serial);
    if (mine && (r & MANY_THREADS)) {
      // Others of this block read too; a warp synchronisation in between would have ordered them.
      const Warp& wp = warps[cur->warp];
      if (clock_of(r) < wp.base || wp.partial) clash = (r & MANY_BLOCKS) != 0;
    }
    if ((r & MANY_BLOCKS) && cur->acquired) clash = false;
    if (clash) {
      Report race = race_report(p, site, r, true, false, shared);
      if (mine) {
        race.has_other = false;
        if (r & MANY_BLOCKS) race.id = "race-blocks-write-after-read";
      }
      report(race);
    }
  }
}

static inline __attribute__((always_inline)) void read_cell(Cell* c, u64 p, u32 mask, u64 pc, bool shared, bool lenient) {
  u64 lo = shared ? F.serial_lo : F.launch_lo;
  u64 w = c->w;
  bool stale = shared && (w >> SERIAL_SHIFT) != (F.serial_lo >> SERIAL_SHIFT);
  if (__builtin_expect((w & mask) != mask || stale ||
                           (w >= lo && ((w ^ F.me) & SAME_THREAD) != 0 && w - F.serial_lo >= F.base_span), 0))
    slow_read(c, p, mask, pc, false, shared, lenient);
  u64 r = c->r;
  if (((r ^ F.me) >> THREAD_SHIFT) == 0) {
    if ((mask_of(r) & mask) != mask) c->r = r | (u64)mask << MASK_SHIFT;
    return;
  }
  // Read by several threads since the last synchronisation already: one reader more tells nothing new.
  if (((r ^ F.me) >> CLOCK_SHIFT) == 0 && (r & MANY_THREADS) && (mask_of(r) & mask) == mask) return;
  u64 mine = F.me | (u64)site_id(pc) << SITE_SHIFT | (u64)mask << MASK_SHIFT;
  if (r < lo) c->r = mine;
  else if (r - F.serial_lo < F.base_span) c->r = mine | (r & MANY_BLOCKS);
  else merge_read(c, mine, mask, shared);
}
static inline __attribute__((always_inline)) void write_cell(Cell* c, u64 p, u32 mask, u64 pc, bool shared) {
  u64 lo = shared ? F.serial_lo : F.launch_lo;
  u64 w = c->w, r = c->r;
  if (shared && (w >> SERIAL_SHIFT) != (F.serial_lo >> SERIAL_SHIFT)) w = 0;
  if (__builtin_expect((w >= lo && ((w ^ F.me) & SAME_THREAD) != 0 && w - F.serial_lo >= F.base_span) ||
                           (r >= lo && ((r - F.serial_lo >= F.base_span && (((r ^ F.me) & SAME_THREAD) != 0 || (r & MANY_THREADS))) ||
                                        (r & MANY_BLOCKS))), 0))
    slow_write(c, p, mask, pc, false, shared);
  u64 bytes = (u64)mask << MASK_SHIFT;
  if (((w ^ F.me) >> THREAD_SHIFT) == 0 && !(w & ATOMIC)) bytes |= w & (15ull << MASK_SHIFT);
  c->w = F.me | (u64)site_id(pc) << SITE_SHIFT | bytes | (w & 15) | mask;
}

__attribute__((noinline)) void fault(u64 p, u64 n, bool write, u64 pc);
__attribute__((noinline)) void outside(u64 p, u64 n, bool write, u64 pc);
__attribute__((noinline)) void host_access(u64 p, u64 n, bool write, u64 pc);
__attribute__((noinline)) void host_reads_fill(u64 p, u64 n, u64 pc);
constexpr u16 TAINTED = 0x8000, HOST_KIND = 0x6000;  // host_valid: see memory.h
constexpr u32 HOST_FILL = 0xdbd1b7c5u;  // what fresh host memory holds: an unlikely number of any type

static __attribute__((noinline)) void misaligned(u64 p, u64 n, u64 pc) {
  Report r{"misaligned", "misaligned"};
  set_site(r, pc);
  r.thread = cur;
  r.a = (long long)n;
  describe(p, r);
  report(r);
  abort_launch(cudaErrorMisalignedAddress);
}

template <int SIZE, bool WRITE>
static inline __attribute__((always_inline)) void access(u64 p, u64 pc) {
  u64 off = p - ARENA;
  if (__builtin_expect(off >= ARENA_SIZE, 0)) {
    if (p - F.quiet_lo < F.quiet_len) return;
    if (!WRITE && p - (u64)&__executable_start < (u64)(&end - &__executable_start)) return;  // constants of the program
    return outside(p, SIZE, WRITE, pc);
  }
  if (__builtin_expect(F.special, 0)) {
    if (!kernel_mode) {
      // Host code on its own heap: inside the block, not copied from unwritten memory, not the first fill.
      u16 v = host_valid[off / PAGE];
      if ((v & (TAINTED | HOST_KIND)) == (HOST << 13) && (off & (PAGE - 1)) + SIZE <= (u64)(v & VALID_BYTES)) {
        if (WRITE || SIZE < 4 || *(u32*)p != HOST_FILL) return;
        return host_reads_fill(p, SIZE, pc);
      }
      return host_access(p, SIZE, WRITE, pc);
    }
    resolve_pending();
  }
  if (__builtin_expect(off & (SIZE - 1), 0)) return misaligned(p, SIZE, pc);
  if (__builtin_expect((off & (PAGE - 1)) + SIZE > (valid[off / PAGE] & VALID_BYTES), 0)) return fault(p, SIZE, WRITE, pc);
  Cell* c = cell_at(off & ~3ull);
  bool shared = off >= SHARED_OFF;
  if constexpr (SIZE <= 4) {
    u32 mask = ((1u << SIZE) - 1) << (off & 3);
    if (WRITE) write_cell(c, p, mask, pc, shared);
    else read_cell(c, p, mask, pc, shared, false);
  } else {
    for (int i = 0; i < SIZE / 4; i++) {
      if (WRITE) write_cell(c + i, p + 4 * i, 15, pc, shared);
      else read_cell(c + i, p + 4 * i, 15, pc, shared, false);
    }
  }
}

// Aggregates: padding bytes of a struct are copied without ever having been written, so half a word may be missing.
static void access_range(u64 p, u64 n, bool write, u64 pc) {
  if (n == 0) return;
  u64 off = p - ARENA;
  if (off >= ARENA_SIZE) {
    if (p - F.quiet_lo < F.quiet_len) return;
    return outside(p, n, write, pc);
  }
  if (!kernel_mode) return host_access(p, n, write, pc);
  resolve_pending();
  for (u64 at = off; at < off + n;) {
    u64 page_end = (at | (PAGE - 1)) + 1, end = page_end < off + n ? page_end : off + n;
    if ((at & (PAGE - 1)) + (end - at) > (u64)(valid[at / PAGE] & VALID_BYTES)) return fault(p, n, write, pc);
    at = end;
  }
  bool shared = off >= SHARED_OFF, seen = false;
  if (!write) {
    for (u64 at = off & ~3ull; at < off + n && !seen; at += 4) {
      u64 w = cell_at(at)->w;
      if ((w & 15) && !(shared && serial_of(w) != B.serial)) seen = true;
    }
    if (!seen) return slow_read(cell_at(off & ~3ull), p, 1u << (off & 3), pc, false, shared, false);
  }
  for (u64 at = off & ~3ull; at < off + n; at += 4) {
    u64 lo = at < off ? off : at, hi = at + 4 < off + n ? at + 4 : off + n;
    u32 mask = ((1u << (hi - lo)) - 1) << (lo & 3);
    Cell* c = cell_at(at);
    if (write) {
      write_cell(c, ARENA + lo, mask, pc, shared);
    } else {
      u64 w = c->w;
      if (shared && serial_of(w) != B.serial) w = 0;
      if (w & mask) read_cell(c, ARENA + lo, (u32)(w & mask), pc, shared, true);
    }
  }
}

// An atomic: checked as a read and a write of one kind that does not race with its like.
void atomic_access(u64 p, int bytes, int kind, u64 site) {
  u64 off = p - ARENA;
  if (off >= ARENA_SIZE) {
    if (p - F.quiet_lo < F.quiet_len) return;
    return outside(p, bytes, true, site);
  }
  if (!kernel_mode) return host_access(p, bytes, true, site);
  resolve_pending();
  if (off & (bytes - 1)) return misaligned(p, bytes, site);
  if ((off & (PAGE - 1)) + bytes > (u64)(valid[off / PAGE] & VALID_BYTES)) return fault(p, bytes, true, site);
  bool shared = off >= SHARED_OFF;
  if (kind != MODIFIES && cur->suspect.address && cur->suspect.address / 8 == p / 8) cur->suspect.address = 0;
  for (int i = 0; i < (bytes + 3) / 4; i++) {
    Cell* c = cell_at((off & ~3ull) + 4 * i);
    u32 mask = bytes >= 4 ? 15 : ((1u << bytes) - 1) << (off & 3);
    // This thread's plain look at the word before its own atomic counts as part of it.
    if (kind != MODIFIES && ((c->r ^ F.me) & SAME_THREAD) == 0 && !(c->r & (MANY_THREADS | MANY_BLOCKS))) c->r = 0;
    u64 w = c->w;
    if (shared && serial_of(w) != B.serial) w = 0;
    if (kind == EXCHANGES) w |= mask;
    if ((w & mask) != mask || (w >= (shared ? F.serial_lo : F.launch_lo) && !(w & ATOMIC)))
      slow_read(c, p + 4 * i, mask, site, true, shared, kind == EXCHANGES);
    slow_write(c, p + 4 * i, mask, site, true, shared);
    c->w = F.me | (u64)site_id(site) << SITE_SHIFT | ATOMIC | (u64)mask << MASK_SHIFT | (w & 15) | mask;
  }
}
void commit_suspect() {
  if (!cur || !cur->suspect.address) return;
  Suspect s = cur->suspect;
  cur->suspect.address = 0;
  Report r = race_report(s.address, s.pc, s.cell, false, true, s.address - ARENA >= SHARED_OFF);
  r.id = serial_of(s.cell) == B.serial ? "race-atomic-plain" : "race-blocks-atomic-plain";
  report(r);
}
void check_range(u64 p, u64 n, bool write, u64 pc, int line) {
  access_range(p, n, write, pc ? pc : (LINE_SITE | (u64)line));
}
}  // namespace cuemu
