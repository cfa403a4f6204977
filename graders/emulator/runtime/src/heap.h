// new, delete and free of the whole process: in a kernel they take device memory, in the learner's host code checked memory.
#pragma once
#include <new>

#include "report.h"

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_realloc(void*, size_t);
extern "C" void __libc_free(void*);

namespace cuemu {
void* host_malloc(size_t n) {
  void* p = heap_allocate(n, false);
  return p ? p : __libc_malloc(n);
}
void* host_calloc(size_t count, size_t each) {
  size_t n;
  if (__builtin_mul_overflow(count, each, &n)) return nullptr;
  void* p = heap_allocate(n, true);
  if (p) return p;
  p = __libc_malloc(n ? n : 1);
  return p ? memset(p, 0, n) : p;
}
static void give_back(void* p) {
  if (!in_arena(p)) return __libc_free(p);
  if (kernel_mode) device_free(p, cur->line);
  else heap_free(p);
}
}  // namespace cuemu
// The build gives `operator new` of the learner's object file this name; the C++ library's own calls stay its own.
extern "C" void* cuemu_new(size_t n) {
  if (cuemu::kernel_mode) return cuemu::device_malloc(n ? n : 1, cuemu::cur->line);
  void* p = cuemu::heap_allocate(n, false);
  return p ? p : ::operator new(n);
}
extern "C" void* cuemu_new_array(size_t n) { return cuemu_new(n); }
extern "C" void free(void* p) { cuemu::give_back(p); }
extern "C" void* realloc(void* p, size_t n) {
  if (!cuemu::in_arena(p)) return __libc_realloc(p, n);
  cuemu::Allocation* a = cuemu::allocation_at((cuemu::u64)p - cuemu::ARENA);
  void* q = n ? cuemu::host_malloc(n) : nullptr;
  if (q && a) memcpy(q, p, a->size < n ? a->size : n);
  cuemu::give_back(p);
  return q;
}
