// The host side of the runtime.
#pragma once
#include "hooks.h"

struct CUstream_st {
  int id;
  bool alive, blocking;
  std::vector<std::pair<cudaStream_t, cuemu::u64>> waits;  // what its work comes after: (stream, sequence number)
};
struct CUevent_st {
  bool alive, recorded, timing;
  long long at;
  cudaStream_t stream;
  cuemu::u64 seq;
};

namespace cuemu {
static cudaError_t last_error, sticky;
static std::map<const void*, int> dynamic_limit;
static u64 launches, launch_attempts, threads_run;
static u64 copies_hash = 1469598103934665603ull;  // of everything copied to the host: two runs are compared by it

static bool failed_once;
static bool calls_failed() { return failed_once; }
static cudaError_t fail(cudaError_t e) {
  failed_once = true;
  last_error = e;
  return e;
}
static void api_report(const char* kind, const char* id, int line, const char* words = "", long long a = 0, long long b = 0, const void* about = nullptr) {
  Report r{kind, id};
  r.line = line;
  r.words = words;
  r.a = a;
  r.b = b;
  if (about) describe((u64)about, r);
  report(r);
}
static void no_device_call(const char* what, int line) {
  if (kernel_mode) unsupported(what, line);
}

// ---- launches
static bool check_config(const Config& c, const void* kernel, int line) {
  const dim3 &g = c.grid, &b = c.block;
  u64 threads_a_block = (u64)b.x * b.y * b.z;
  Report r{"launch-configuration", nullptr};
  r.line = line;
  if (threads_a_block == 0 || (u64)g.x * g.y * g.z == 0) r.id = threads_a_block == 0 ? "block-empty" : "grid-empty";
  else if (threads_a_block > 1024) r.id = "block-too-large";
  else if (b.x > 1024 || b.y > 1024 || b.z > 64) r.id = "block-dimension";
  else if (g.x > 2147483647u || g.y > 65535 || g.z > 65535) r.id = "grid-dimension";
  if (r.id) {
    r.a = (long long)threads_a_block;
    r.words = triple({g.x, g.y, g.z}) + " " + triple({b.x, b.y, b.z});
    report(r);
    fail(cudaErrorInvalidConfiguration);
    return false;
  }
  auto it = dynamic_limit.find(kernel);
  u64 limit = it == dynamic_limit.end() ? 49152 : (u64)it->second;
  if (!kernel)  // launched through a lambda, which hides which kernel it is
    for (auto& [f, bytes] : dynamic_limit) limit = std::max<u64>(limit, (u64)bytes);
  if (c.shared_bytes > limit) {
    r.id = "dynamic-shared-too-large";
    r.a = (long long)c.shared_bytes;
    r.b = (long long)limit;
    report(r);
    fail(cudaErrorInvalidValue);
    return false;
  }
  if (c.stream > (cudaStream_t)2 && !c.stream->alive) {
    api_report("api-error", "destroyed-stream", line);
    fail(cudaErrorInvalidResourceHandle);
    return false;
  }
  return true;
}
static void note_launch(cudaStream_t s, u32 first, u32 last);
static void find_concurrent(cudaStream_t s);
void launch(const Config& c, const void* kernel, void (*thunk)(void*), void* closure, int line) {
  if (kernel_mode) unsupported("a kernel launched by a kernel (dynamic parallelism)", line);
  launch_attempts++;
  open_arena();
  if (sticky) {
    last_error = sticky;
    return;
  }
  if (!check_config(c, kernel, line)) return;
  launches++;
  threads_run += (u64)c.grid.x * c.grid.y * c.grid.z * c.block.x * c.block.y * c.block.z;
  set_dynamic_shared(c.shared_bytes);
  L.config = c;
  L.line = line;
  L.kernel = kernel;
  L.thunk = thunk;
  L.closure = closure;
  find_concurrent(c.stream);
  run_grid();
  note_launch(c.stream, L.first_serial, next_serial - 1);
  if (aborted) {
    kernel_mode = false;
    sticky = last_error = (cudaError_t)abort_code;
  }
}
void trap(int line) {
  Report r{"api-error", "trap"};
  r.line = line;
  r.thread = cur;
  report(r);
  abort_launch(cudaErrorLaunchFailure);
}

// ---- copies
static bool device_side(const void* p, Allocation** a) {
  *a = in_arena(p) ? allocation_at((u64)p - ARENA) : nullptr;
  return *a && (*a)->space != HOST;
}
// Whether [p, p+n) lies inside one living allocation; says what is wrong if not.
static bool range_ok(const void* p, u64 n, Allocation* a, bool write, int line) {
  if (!a) return true;
  u64 off = (u64)p - ARENA;
  if (a->freed) {
    api_report("use-after-free", "copy-freed", line, write ? "write" : "read", (long long)n, 0, p);
    return false;
  }
  if (off < a->off || off + n > a->off + a->size) {
    api_report("out-of-bounds", write ? "copy-writes-outside" : "copy-reads-outside", line, "", (long long)n, 0, p);
    return false;
  }
  return true;
}
// `host_side`: the source is memory that host code fills where nothing sees it, so all but the first fill counts.
static void spread_initialised(u64 to, u64 from, u64 n, bool host_side) {
  for (u64 i = 0; i < n;) {
    if (host_side && *(const u32*)((from + i) & ~3ull) != 0xa5a5a5a5u) cell_at((from - ARENA + i) & ~3ull)->w |= 15;
    if (((to | from) + i) % 4 == 0 && n - i >= 4) {
      Cell* c = cell_at(to - ARENA + i);
      c->w = cell_at(from - ARENA + i)->w & 15;
      c->r = 0;
      i += 4;
      continue;
    }
    u64 bit_to = 1ull << ((to + i) & 3), bit_from = 1ull << ((from + i) & 3);
    Cell* c = cell_at((to - ARENA + i) & ~3ull);
    bool set = cell_at((from - ARENA + i) & ~3ull)->w & bit_from;
    c->w = ((c->w & 15) & ~bit_to) | (set ? bit_to : 0);
    c->r = 0;
    i++;
  }
}
static void mark_initialised(u64 to, u64 n) {
  u64 off = to - ARENA;
  for (u64 at = off; at < off + n;) {
    Cell* c = cell_at(at & ~3ull);
    if ((at & 3) == 0 && off + n - at >= 4) {
      c->w = 15;
      c->r = 0;
      at += 4;
    } else {
      c->w = (c->w & 15) | 1ull << (at & 3);
      c->r = 0;
      at++;
    }
  }
}
// First byte of device memory in the range that nobody has written, or n.
static u64 first_unwritten(u64 from, u64 n) {
  u64 off = from - ARENA;
  for (u64 at = off; at < off + n;) {
    u64 w = cell_at(at & ~3ull)->w;
    if ((at & 3) == 0 && off + n - at >= 4 && (w & 15) == 15) {
      at += 4;
      continue;
    }
    if (!(w >> (at & 3) & 1)) return at - off;
    at++;
  }
  return n;
}
static void to_host_copied(const void* to, const void* from, u64 n, Allocation* host, int line) {
  u64 hole = first_unwritten((u64)from, n);
  if (host && host->space == HOST) {
    u64 off = (u64)to - ARENA;
    for (u64 i = 0; i < n;) {
      u64 at = off + i;
      bool unwritten = i >= hole && !(cell_at(((u64)from - ARENA + i) & ~3ull)->w >> (((u64)from + i) & 3) & 1);
      u16& page = host_valid[at / PAGE];
      if (unwritten) page |= TAINTED;
      if (page & TAINTED) {
        Cell* c = cell_at(at & ~3ull);
        u64 bit = 1ull << (at & 3);
        c->w = unwritten ? c->w | bit : c->w & ~bit;
        i++;
      } else {
        i += i < hole ? std::min(std::min(n, hole) - i, PAGE - (at & (PAGE - 1))) : 1;
      }
    }
  } else if (hole < n) {
    Report r{"unwritten-output", "copy-unwritten"};
    r.line = line;
    r.a = (long long)hole;
    r.b = (long long)n;
    describe((u64)from + hole, r);
    report(r);
  }
}
static void hash_copy(const void* p, u64 n) {
  const u8* b = (const u8*)p;
  u64 h = copies_hash;
  for (u64 i = 0; i + 8 <= n; i += 8) {
    u64 v;
    memcpy(&v, b + i, 8);
    h = (h ^ v) * 1099511628211ull;
    h ^= h >> 29;
  }
  for (u64 i = n & ~7ull; i < n; i++) h = (h ^ b[i]) * 1099511628211ull;
  copies_hash = h;
}
static void note_copy(const void* host, u64 n, cudaStream_t s, bool writes, int line);
static const char* kind_name(int k) {
  static const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
  return k >= 0 && k <= 4 ? names[k] : "?";
}
static cudaError_t copy(void* to, const void* from, u64 n, cudaMemcpyKind kind, cudaStream_t s, bool async, int line) {
  no_device_call("cudaMemcpy in a kernel", line);
  if (sticky) return fail(sticky);
  if (n == 0) return cudaSuccess;
  if ((int)kind < 0 || kind > 4) return fail(cudaErrorInvalidMemcpyDirection);
  Allocation *ta, *fa;
  bool td = device_side(to, &ta), fd = device_side(from, &fa);
  if (!to || !from) {
    api_report("api-error", "copy-null", line, to ? "source" : "destination");
    return fail(cudaErrorInvalidValue);
  }
  // Managed and pinned memory counts as either side.
  bool t_either = td && ta->space != DEVICE, f_either = fd && fa->space != DEVICE;
  bool want_td = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool want_fd = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault && ((want_td != td && !t_either) || (want_fd != fd && !f_either))) {
    Report r{"wrong-space", "wrong-copy-kind"};
    r.line = line;
    r.words = kind_name(kind);
    r.name = kind_name(fd ? (td ? 3 : 2) : (td ? 1 : 0));
    report(r);
    return fail(cudaErrorInvalidValue);
  }
  if (!range_ok(to, n, ta, true, line) | !range_ok(from, n, fa, false, line)) return fail(cudaErrorInvalidValue);
  if (!fd && !td) {
    memmove(to, from, n);
    return cudaSuccess;
  }
  if (fd && !td) to_host_copied(to, from, n, ta, line);
  memmove(to, from, n);
  if (td && fd) spread_initialised((u64)to, (u64)from, n, fa->space != DEVICE && fa->size <= (256 << 20));
  else if (td) mark_initialised((u64)to, n);
  if (!td || t_either) hash_copy(to, n);
  if (async && td && ta->space == PINNED) note_copy(to, n, s, true, line);
  if (async && fd && fa->space == PINNED) note_copy(from, n, s, false, line);
  return cudaSuccess;
}
static cudaError_t fill(void* p, int value, u64 n, int line) {
  no_device_call("cudaMemset in a kernel", line);
  if (sticky) return fail(sticky);
  if (n == 0) return cudaSuccess;
  Allocation* a;
  if (!device_side(p, &a)) {
    api_report("wrong-space", "memset-host", line, "", 0, 0, p);
    return fail(cudaErrorInvalidValue);
  }
  if (!range_ok(p, n, a, true, line)) return fail(cudaErrorInvalidValue);
  memset(p, value, n);
  mark_initialised((u64)p, n);
  return cudaSuccess;
}

static cudaError_t allocate_for(void** p, u64 n, Space space, int line) {
  no_device_call("cudaMalloc in a kernel", line);
  if (sticky) return fail(sticky);
  if (!p) return fail(cudaErrorInvalidValue);
  if (n == 0) {
    *p = nullptr;
    return cudaSuccess;
  }
  Allocation* a = allocate(n, space, line);
  if (!a) return fail(cudaErrorMemoryAllocation);
  *p = (void*)(ARENA + a->off);
  return cudaSuccess;
}
cudaError_t malloc_device(void** p, size_t n, int line) { return allocate_for(p, n, DEVICE, line); }
cudaError_t malloc_managed(void** p, size_t n, unsigned, int line) {
  return n == 0 ? fail(cudaErrorInvalidValue) : allocate_for(p, n, MANAGED, line);
}
cudaError_t malloc_pinned(void** p, size_t n, unsigned, int line) { return allocate_for(p, n, PINNED, line); }
cudaError_t malloc_pitch(void** p, size_t* pitch, size_t width, size_t height, int line) {
  *pitch = (width + 511) / 512 * 512;
  return allocate_for(p, *pitch * height, DEVICE, line);
}
void* device_malloc(size_t n, int line) {
  if (!kernel_mode) return malloc(n);
  Allocation* a = n ? allocate(n, DEVICE, line) : nullptr;
  return a ? (void*)(ARENA + a->off) : nullptr;
}
static void synchronised();
static cudaError_t free_memory(void* p, bool host, int line) {
  no_device_call("cudaFree in a kernel", line);
  if (!p) return cudaSuccess;
  if (sticky) return fail(sticky);
  Allocation* a = in_arena(p) ? allocation_at((u64)p - ARENA) : nullptr;
  if (a && a->freed) {
    api_report("use-after-free", "freed-twice", line, "", 0, 0, p);
    return fail(cudaErrorInvalidValue);
  }
  bool fits = a && ARENA + a->off == (u64)p && a->space != HOST && a->name.empty() && (a->space == PINNED) == host;
  if (!fits) {
    api_report("api-error", host ? "free-host-wrong" : "free-wrong", line, "", 0, 0, p);
    return fail(cudaErrorInvalidValue);
  }
  synchronised();
  release_allocation(*a, line);
  return cudaSuccess;
}
void device_free(void* p, int line) {
  if (!kernel_mode || !in_arena(p)) return free(p);
  Allocation* a = allocation_at((u64)p - ARENA);
  if (a && !a->freed) release_allocation(*a, line);
}

cudaError_t copy_symbol(const void* symbol, size_t bytes, void* other, size_t n, size_t offset, bool to, cudaMemcpyKind kind, cudaStream_t s, bool async,
                        int line) {
  Allocation* a;
  if (!device_side(symbol, &a)) {
    api_report("api-error", "not-a-symbol", line);
    return fail(cudaErrorInvalidSymbol);
  }
  (void)bytes;
  char* at = (char*)symbol + offset;
  return to ? copy(at, other, n, kind, s, async, line) : copy(other, at, n, kind, s, async, line);
}
cudaError_t symbol_address(void** p, const void* symbol) {
  Allocation* a;
  if (!device_side(symbol, &a)) return fail(cudaErrorInvalidSymbol);
  *p = (void*)symbol;
  return cudaSuccess;
}
cudaError_t host_device_pointer(void** device, void* host) {
  Allocation* a;
  if (!device_side(host, &a) && !registered.count((u64)host)) return fail(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}
cudaError_t function_attributes(cudaFuncAttributes* a) {
  *a = {};
  a->maxThreadsPerBlock = 1024;
  a->numRegs = 32;
  a->ptxVersion = a->binaryVersion = 90;
  a->maxDynamicSharedSizeBytes = 49152;
  return cudaSuccess;
}
cudaError_t function_attribute(const void* f, cudaFuncAttribute a, int value) {
  if (a != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || value > 232448) return fail(cudaErrorInvalidValue);
  dynamic_limit[f] = value;
  return cudaSuccess;
}
cudaError_t occupancy(int* blocks, int threads, size_t shared_bytes) {
  if (threads <= 0 || threads > 1024) return fail(cudaErrorInvalidValue);
  int by_threads = 2048 / ((threads + 31) / 32 * 32);
  int by_shared = shared_bytes ? (int)(233472 / (shared_bytes + 1024)) : 32;
  *blocks = std::min({by_threads, by_shared, 32});
  return cudaSuccess;
}
}  // namespace cuemu
