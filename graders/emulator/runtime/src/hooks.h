// The names that -fsanitize=thread and -fsanitize=float-cast-overflow call. libtsan and libubsan are not linked.
#pragma once
#include "report.h"

#define CUEMU_PC ((u64)__builtin_return_address(0) - 1)
using namespace cuemu;

namespace cuemu {
// A volatile access to a global word is a flag for other blocks: no race with its like, ordered by fences. Shared
// memory gets no such leave: `volatile` does not make the lanes of a warp run in step.
static bool volatile_flag(u64 p, int bytes, bool write, u64 pc) {
  u64 off = p - ARENA;
  if (off >= SHARED_OFF) return false;
  order_sensitive = true;
  if (write) {
    atomic_access(p, bytes, EXCHANGES, pc);
    release(p);
    B.idle = 0;
    return true;
  }
  if ((off & (bytes - 1)) || (off & (PAGE - 1)) + bytes > (u64)(valid[off / PAGE] & VALID_BYTES)) return false;
  for (int i = 0; i < (bytes + 3) / 4; i++) {
    Cell* c = cell_at((off & ~3ull) + 4 * i);
    u32 mask = bytes >= 4 ? 15 : ((1u << bytes) - 1) << (off & 3);
    slow_read(c, p + 4 * i, mask, pc, true, false, false);
    if (((c->r ^ F.me) >> THREAD_SHIFT) != 0) c->r = F.me | (u64)site_id(pc) << SITE_SHIFT | ATOMIC | (u64)mask << MASK_SHIFT;
  }
  return true;
}
static void std_atomic(u64 p, int bytes, u64 pc) {
  if (!kernel_mode) return;
  order_sensitive = true;
  acquire(p);
  atomic_access(p, bytes, COMPARES, pc);
  fence(1);
  release(p);
}
}  // namespace cuemu

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
#define HOOK(N)                                                                              \
  void __tsan_read##N(void* p) { access<N, false>((u64)p, CUEMU_PC); }                       \
  void __tsan_write##N(void* p) { access<N, true>((u64)p, CUEMU_PC); }                       \
  void __tsan_unaligned_read##N(void* p) { access_range((u64)p, N, false, CUEMU_PC); }       \
  void __tsan_unaligned_write##N(void* p) { access_range((u64)p, N, true, CUEMU_PC); }       \
  void __tsan_volatile_read##N(void* p) {                                                    \
    volatile_poll((u64)p, CUEMU_PC);                                                                   \
    volatile_read((u64)p, CUEMU_PC, N);                                                      \
    if (kernel_mode && volatile_flag((u64)p, N, false, CUEMU_PC)) return;                    \
    access<N, false>((u64)p, CUEMU_PC);                                                      \
  }                                                                                          \
  void __tsan_volatile_write##N(void* p) {                                                   \
    if (kernel_mode && volatile_flag((u64)p, N, true, CUEMU_PC)) return;                     \
    access<N, true>((u64)p, CUEMU_PC);                                                       \
  }                                                                                          \
  void __tsan_unaligned_volatile_read##N(void* p) { access_range((u64)p, N, false, CUEMU_PC); } \
  void __tsan_unaligned_volatile_write##N(void* p) { access_range((u64)p, N, true, CUEMU_PC); }
HOOK(1)
HOOK(2)
HOOK(4)
HOOK(8)
HOOK(16)
void __tsan_read_range(void* p, size_t n) { access_range((u64)p, n, false, CUEMU_PC); }
void __tsan_write_range(void* p, size_t n) { access_range((u64)p, n, true, CUEMU_PC); }

// std::atomic and the __atomic builtins: on the host they just happen, in a kernel they are checked as atomics are.
#define ATOMICS(BITS, T)                                                                                       \
  T __tsan_atomic##BITS##_load(const volatile T* p, int) {                                                     \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                               \
  }                                                                                                            \
  void __tsan_atomic##BITS##_store(volatile T* p, T v, int) {                                                  \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                  \
  }                                                                                                            \
  T __tsan_atomic##BITS##_exchange(volatile T* p, T v, int) {                                                  \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                        \
  }                                                                                                            \
  T __tsan_atomic##BITS##_fetch_add(volatile T* p, T v, int) {                                                 \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                                         \
  }                                                                                                            \
  T __tsan_atomic##BITS##_fetch_sub(volatile T* p, T v, int) {                                                 \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                                         \
  }                                                                                                            \
  T __tsan_atomic##BITS##_fetch_and(volatile T* p, T v, int) {                                                 \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                                         \
  }                                                                                                            \
  T __tsan_atomic##BITS##_fetch_or(volatile T* p, T v, int) {                                                  \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                                          \
  }                                                                                                            \
  T __tsan_atomic##BITS##_fetch_xor(volatile T* p, T v, int) {                                                 \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                                                         \
  }                                                                                                            \
  T __tsan_atomic##BITS##_fetch_nand(volatile T* p, T v, int) {                                                \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    return __atomic_fetch_nand(p, v, __ATOMIC_SEQ_CST);                                                        \
  }                                                                                                            \
  bool __tsan_atomic##BITS##_compare_exchange_strong(volatile T* p, T* e, T v, int, int) {                     \
    std_atomic((u64)p, sizeof(T), CUEMU_PC);                                                                   \
    bool done = __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
    if (!done) atomic_end(false);                                                                              \
    return done;                                                                                               \
  }                                                                                                            \
  bool __tsan_atomic##BITS##_compare_exchange_weak(volatile T* p, T* e, T v, int a, int b) {                   \
    return __tsan_atomic##BITS##_compare_exchange_strong(p, e, v, a, b);                                       \
  }                                                                                                            \
  T __tsan_atomic##BITS##_compare_exchange_val(volatile T* p, T e, T v, int a, int b) {                        \
    __tsan_atomic##BITS##_compare_exchange_strong(p, &e, v, a, b);                                             \
    return e;                                                                                                  \
  }
}
extern "C" {
ATOMICS(8, u8)
ATOMICS(16, u16)
ATOMICS(32, u32)
ATOMICS(64, unsigned long)
void __tsan_atomic_thread_fence(int) { fence(1); }
void __tsan_atomic_signal_fence(int) {}

struct SourceLocation {
  const char* file;
  u32 line, column;
};
void __ubsan_handle_float_cast_overflow(void* data, void*) {
  if (!kernel_mode) return;  // on the host the conversion does what it does in the real program
  const auto* at = (const SourceLocation*)data;
  Report r{"float-cast", "float-cast"};
  r.line = (int)at->line;
  r.a = (long long)at->column;
  r.thread = cur;
  report(r);
}
void __ubsan_handle_float_cast_overflow_abort(void* d, void* v) { __ubsan_handle_float_cast_overflow(d, v); }
struct TypeMismatch {
  SourceLocation at;
  void* type;
  u8 log_alignment, kind;
};
void __ubsan_handle_type_mismatch_v1(void* data, void* pointer) {
  if (!kernel_mode) return;
  const auto* d = (const TypeMismatch*)data;
  if (((u64)pointer & ((1ull << d->log_alignment) - 1)) == 0) return;
  Report r{"misaligned", "misaligned"};
  r.line = (int)d->at.line;
  r.a = 1ll << d->log_alignment;
  r.thread = cur;
  describe((u64)pointer, r);
  report(r);
  abort_launch(cudaErrorMisalignedAddress);
}
void __ubsan_handle_type_mismatch_v1_abort(void* d, void* p) { __ubsan_handle_type_mismatch_v1(d, p); }

void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) noexcept {
  if (!kernel_mode) {
    fflush(stdout);
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    end_run(134);
  }
  Report r{"api-error", "device-assert"};
  r.line = (int)line;
  r.words = expression;
  r.thread = cur;
  report(r);
  abort_launch(cudaErrorAssert);
}

// memcpy and its like in the learner's code (types.h gives them these names).
void* cuemu_memcpy(void* to, const void* from, size_t n) {
  access_range((u64)from, n, false, CUEMU_PC);
  access_range((u64)to, n, true, CUEMU_PC);
  return memcpy(to, from, n);
}
void* cuemu_memmove(void* to, const void* from, size_t n) {
  access_range((u64)from, n, false, CUEMU_PC);
  access_range((u64)to, n, true, CUEMU_PC);
  return memmove(to, from, n);
}
void* cuemu_memset(void* to, int v, size_t n) {
  access_range((u64)to, n, true, CUEMU_PC);
  return memset(to, v, n);
}
}
