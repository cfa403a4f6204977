// The arena: allocations with gaps between them, shared memory, the learner's device variables.
#pragma once
#include <algorithm>
#include <sys/mman.h>
#include <time.h>

#include "launch.h"

namespace cuemu {

constexpr u64 DEVICE_BYTES = 4ull << 30;  // what the emulated device claims to have
constexpr u64 COMMIT_STEP = 4ull << 20;
static std::map<u64, Allocation> allocations;  // by offset; freed ones stay until their place is needed
constexpr u64 FIRST = 64ull << 20;  // nothing below: negative indices of the first variable stay in the arena
static bool heap_on;  // a whole program: host memory is the learner's heap, not a lesson's arguments
static u64 bump = FIRST, committed = FIRST, in_use, symbols_end = FIRST;
static bool arena_ready;

long long ticks() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void fatal(const char* what) {
  emit_line(std::string("{\"type\":\"broken\",\"what\":") + json_string(what) + "}");
  _exit(97);
}
static void reserve(u64 at, u64 size, int protection) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  if (mmap((void*)at, size, protection, flags, -1, 0) != (void*)at) fatal("cannot reserve the address range of the emulated memory");
}
static void open_arena() {
  if (arena_ready) return;
  arena_ready = true;
  reserve(ARENA, ARENA_SIZE, PROT_NONE);
  reserve(SHADOW, ARENA_SIZE * 4, PROT_NONE);
  reserve(STACKS, STACKS_SIZE, PROT_READ | PROT_WRITE);
  // No transparent huge pages under a thousand small stacks.
  madvise((void*)STACKS, STACKS_SIZE, MADV_NOHUGEPAGE);
  mprotect((void*)(ARENA + SHARED_OFF), 4ull << 20, PROT_READ | PROT_WRITE);
  mprotect((void*)(SHADOW + SHARED_OFF * 4), 16ull << 20, PROT_READ | PROT_WRITE);
}
static bool commit(u64 end) {
  if (end <= committed) return true;
  u64 to = (end + COMMIT_STEP - 1) / COMMIT_STEP * COMMIT_STEP;
  if (mprotect((void*)(ARENA + committed), to - committed, PROT_READ | PROT_WRITE) != 0) return false;
  if (mprotect((void*)(SHADOW + committed * 4), (to - committed) * 4, PROT_READ | PROT_WRITE) != 0) return false;
  committed = to;
  return true;
}
static void mark_pages(u16* table, u64 off, u64 size, u16 flags) {
  for (u64 at = 0; at < size; at += PAGE) table[(off + at) / PAGE] = (u16)(std::min(PAGE, size - at) | flags);
}
static void clear_pages(u16* table, u64 off, u64 size) {
  for (u64 at = 0; at < size; at += PAGE) table[(off + at) / PAGE] = 0;
}
static void clear_cells(u64 off, u64 size) {
  u64 start = SHADOW + off * 4, bytes = (size + 3) / 4 * sizeof(Cell);
  if (bytes > (8ull << 20)) madvise((void*)start, bytes, MADV_DONTNEED);
  else memset((void*)start, 0, bytes);
}
// host_valid holds, beside the bytes, the space (HOST_KIND) and whether some byte of the page was copied from device
// memory that nobody had written (TAINTED).

static Allocation* allocate(u64 size, Space space, int line) {
  open_arena();
  u64 pages = (size + PAGE - 1) / PAGE * PAGE;
  u64 gap = std::clamp(pages, 16 * PAGE, 4096 * PAGE);
  u64 span = pages + gap, off = 0;
  if (space != HOST && in_use + size > DEVICE_BYTES) return nullptr;
  if (bump + span > SHARED_OFF) {
    // The address space is used up: take the oldest freed place that is large enough.
    auto it = allocations.begin();
    while (it != allocations.end() && !(it->second.freed && it->second.span >= span)) ++it;
    if (it == allocations.end()) return nullptr;
    off = it->first;
    span = it->second.span;
    allocations.erase(it);
  } else {
    off = bump;
    if (!commit(off + pages)) {
      if (space == HOST) return nullptr;
      unsupported(("this much device memory at once (" + std::to_string((in_use + size) >> 20) + " MiB)").c_str(), line);
    }
    bump += span;
  }
  Allocation a{off, size, span, space};
  a.line = line;
  if (space != HOST) {
    in_use += size;
    mark_pages(valid, off, size, (u16)(space << 13));
    // Memory that host code may fill where nothing sees it counts as written once it holds anything but this.
    memset((void*)(ARENA + off), 0xa5, std::min<u64>(size, space == DEVICE ? 1 << 20 : 256 << 20));
  }
  if (space != DEVICE) mark_pages(host_valid, off, size, (u16)(space << 13));
  return &(allocations[off] = a);
}
static Allocation* allocation_at(u64 off) {
  auto it = allocations.upper_bound(off);
  if (it == allocations.begin()) return nullptr;
  --it;
  return off < it->first + it->second.span ? &it->second : nullptr;
}
static void release_allocation(Allocation& a, int line) {
  a.freed = true;
  a.free_line = line;
  clear_pages(valid, a.off, a.size);
  clear_pages(host_valid, a.off, a.size);
  clear_cells(a.off, a.size);
  if (a.space != HOST) in_use -= a.size;
  if (a.size > (1 << 20)) madvise((void*)(ARENA + a.off), a.size, MADV_DONTNEED);
}
// Everything but the learner's own device variables is forgotten; for the next run in this process.
static void reset_arena() {
  for (auto it = allocations.begin(); it != allocations.end();) {
    if (it->first < symbols_end) {
      ++it;
      continue;
    }
    if (!it->second.freed) release_allocation(it->second, 0);
    it = allocations.erase(it);
  }
  bump = symbols_end;
  in_use = 0;
}
// cudaDeviceReset: device memory is gone, the host's own is not.
static void reset_device() {
  for (auto& [off, a] : allocations)
    if (off >= symbols_end && a.space != HOST && !a.freed) release_allocation(a, 0);
}
void forget_serials() {
  auto forget = [](u64 off, u64 size) {
    for (u64 at = 0; at < size; at += 4) {
      Cell* c = cell_at(off + at);
      if (c->w | c->r) c->w &= 15, c->r = 0;
    }
  };
  for (auto& [off, a] : allocations)
    if (!a.freed) forget(off, a.size);
  memset((void*)(SHADOW + SHARED_OFF * 4), 0, 0);
  madvise((void*)(SHADOW + SHARED_OFF * 4), 16ull << 20, MADV_DONTNEED);
}

// ---- shared memory: every variable has pages of its own, the same for all blocks (which run one after another)
struct SharedVariable {
  u64 off, size;
  u32 element, columns, layers;
  std::string name;
  int line;
  u32 launch;
};
static std::vector<SharedVariable> shared_variables;
static u64 static_shared_end = STATIC_SHARED_OFF, dynamic_bytes, static_bytes;
static std::string dynamic_name = "extern __shared__";
static u32 launch_number;

void* shared_storage(size_t bytes, size_t element, size_t columns, size_t layers, const char* name, int line, void** slot) {
  open_arena();
  if (!*slot) {
    u64 pages = (bytes + PAGE - 1) / PAGE * PAGE;
    if (static_shared_end + pages + PAGE > SHARED_OFF + (4ull << 20)) unsupported("this much static shared memory", line);
    *slot = (void*)(ARENA + static_shared_end);
    mark_pages(valid, static_shared_end, bytes, SHARED << 13);
    shared_variables.push_back({static_shared_end, bytes, (u32)element, (u32)columns, (u32)layers, name, line, 0});
    static_shared_end += pages + PAGE;
  }
  if (kernel_mode) {
    for (auto& v : shared_variables) {
      if (ARENA + v.off != (u64)*slot) continue;
      if (v.launch == launch_number) break;
      v.launch = launch_number;
      static_bytes += v.size;
      if (static_bytes + dynamic_bytes > 49152 && dynamic_bytes <= 49152) {
        Report r{"launch-configuration", "shared-too-large"};
        r.line = line;
        r.a = (long long)static_bytes;
        r.b = (long long)dynamic_bytes;
        report(r);
        abort_launch(cudaErrorInvalidValue);
      }
      break;
    }
  }
  return *slot;
}
void* dynamic_shared(const char* name) {
  open_arena();
  dynamic_name = name;
  return (void*)(ARENA + DYNAMIC_SHARED_OFF);
}
static void set_dynamic_shared(u64 bytes) {
  if (dynamic_bytes) clear_pages(valid, DYNAMIC_SHARED_OFF, dynamic_bytes);
  dynamic_bytes = bytes;
  mark_pages(valid, DYNAMIC_SHARED_OFF, bytes, SHARED << 13);
  launch_number++;
  static_bytes = 0;
}

// ---- device variables: `__device__ T x` becomes a reference into the arena (see the rewriter)
struct Symbol {
  u64 off, size;
  std::string name;
  int kind;
  std::vector<u8> image;
};
static std::vector<Symbol> symbols;
void* symbol_storage(size_t bytes, size_t element, const char* name, int line, int kind) {
  if (bump != symbols_end) fatal("a device variable came to life after the first allocation");
  Allocation* a = allocate(bytes, kind == 2 ? MANAGED : DEVICE, line);
  if (!a) fatal("device variables are too large");
  a->name = name;
  a->element = (u32)element;
  symbols_end = bump;
  memset((void*)(ARENA + a->off), 0, bytes);
  for (u64 at = 0; at < bytes; at += 4) cell_at(a->off + at)->w = 15;
  symbols.push_back({a->off, bytes, name, kind, {}});
  in_use -= bytes;
  return (void*)(ARENA + a->off);
}
static void keep_symbols() {
  for (Symbol& s : symbols) s.image.assign((u8*)(ARENA + s.off), (u8*)(ARENA + s.off + s.size));
}
static void restore_symbols() {
  for (Symbol& s : symbols) {
    memcpy((void*)(ARENA + s.off), s.image.data(), s.size);
    for (u64 at = 0; at < s.size; at += 4) *cell_at(s.off + at) = {15, 0};
  }
}

static bool calls_failed();
// ---- naming a place, and what to say when an access hits none
void describe(u64 p, Report& r) {
  u64 off = p - ARENA;
  if (off >= ARENA_SIZE) return;
  if (off >= STATIC_SHARED_OFF) {
    for (auto& v : shared_variables) {
      u64 pages = (v.size + PAGE - 1) / PAGE * PAGE + PAGE;
      if (off < v.off || off >= v.off + pages) continue;
      r.place = "shared";
      r.place_name = v.name;
      r.place_offset = (long long)(off - v.off);
      r.place_size = (long long)v.size;
      r.place_element = v.element;
      r.place_columns = v.columns;
      r.place_layers = v.layers;
      r.place_line = v.line;
    }
  } else if (off >= SHARED_OFF) {
    r.place = "dynamic";
    r.place_name = dynamic_name;
    r.place_offset = (long long)(off - DYNAMIC_SHARED_OFF);
    r.place_size = (long long)dynamic_bytes;
  } else {
    Allocation* a = allocation_at(off);
    // An access just below an allocation lies in the gap of the one before: name the nearer of the two.
    auto next = allocations.upper_bound(off);
    if (next != allocations.end() && (!a || next->first - off < off - std::min(off, a->off + a->size)) && next->first - off <= 16 * PAGE)
      a = &next->second;
    if (!a) return;
    static const char* names[] = {"device", "managed", "pinned", "host", "shared"};
    r.place = a->freed ? "freed" : !a->name.empty() ? "symbol" : a->space == HOST && heap_on ? "heap" : names[a->space];
    r.place_name = a->name;
    r.place_offset = (long long)off - (long long)a->off;
    r.place_size = (long long)a->size;
    r.place_element = a->element > 1 ? a->element : 0;
    r.place_line = a->line;
    r.place_free_line = a->free_line;
  }
}
static bool in_host_memory(u64 p) {
  Allocation* a = p - ARENA < SHARED_OFF ? allocation_at(p - ARENA) : nullptr;
  return a && (a->space == MANAGED || a->space == PINNED) && a->size <= (256 << 20);
}
// Host memory that cudaHostRegister made reachable: [start, end)
static std::map<u64, u64> registered;
static bool is_registered(u64 p, u64 n) {
  auto it = registered.upper_bound(p);
  return it != registered.begin() && p + n <= std::prev(it)->second;
}
void fault(u64 p, u64 n, bool write, u64 pc) {
  if (kernel_mode && is_registered(p, n)) return;
  Report r{"out-of-bounds", write ? "write-outside" : "read-outside"};
  set_site(r, pc);
  r.thread = kernel_mode ? cur : nullptr;
  r.a = (long long)n;
  describe(p, r);
  u64 off = p - ARENA;
  if (!strcmp(r.place, "freed")) {
    r.kind = "use-after-free";
    r.id = write ? "write-freed" : "read-freed";
  } else if ((!strcmp(r.place, "host") || !strcmp(r.place, "heap")) && kernel_mode && host_valid[off / PAGE]) {
    r.kind = "wrong-space";
    r.id = "host-pointer-in-kernel";
  } else if (off >= SHARED_OFF && *r.place) {
    r.id = write ? "write-outside-shared" : "read-outside-shared";
  }
  report(r);
  if (kernel_mode) abort_launch(cudaErrorIllegalAddress);
  end_run(139);
}
void outside(u64 p, u64 n, bool write, u64 pc) {
  if (!kernel_mode) return;
  if (is_registered(p, n)) return;
  // Constants of the program are readable anywhere; a host variable is not, but only a write proves one.
  if (!write && p >= (u64)&__executable_start && p < (u64)&end) return;
  Report r{"wrong-space", "host-pointer-in-kernel"};
  set_site(r, pc);
  r.thread = cur;
  r.a = (long long)n;
  if (p < PAGE * 16) {
    r.kind = "out-of-bounds";
    r.id = "null-pointer";
  }
  report(r);
  abort_launch(cudaErrorIllegalAddress);
}
}  // namespace cuemu
