// What device code calls: built-in variables, barriers, warp operations, atomics, fences, clocks.
// Every call takes the caller's line as a default argument: it is what a person is shown, and warp operations meet
// on it (a compiler may copy a call, so a return address would tear one source call into two).
#pragma once
#include "types.h"

// A fiber never sees these change, which is what `const` promises the compiler: it may keep them in registers, and
// -fsanitize=thread does not instrument reads of constants.
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

#define CUEMU_LINE int line = __builtin_LINE()
#define CUEMU_PLAIN __attribute__((no_sanitize("thread"), noinline))

namespace cuemu {
enum WarpKind : int {
  SYNC, SHFL, SHFL_UP, SHFL_DOWN, SHFL_XOR, BALLOT, ANY, ALL, MATCH_ANY, MATCH_ALL,
  ADD_U, ADD_S, MIN_U, MIN_S, MAX_U, MAX_S, AND, OR, XOR, ACTIVE
};
// What an atomic needs to know of the word: that it holds a value, and whether a plain look before it is sound.
enum AtomicKind : int { MODIFIES, COMPARES, EXCHANGES };
void leaves(int line);
uint64_t warp_op(int kind, unsigned mask, uint64_t value, int bytes, int arg, int width, int line);
unsigned active_mask(int line);
void barrier(int line);
int barrier_reduce(int kind, int predicate, int line);
void fence(int scope);
void atomic_begin(void* address, size_t bytes, int kind, int line);
void atomic_end(bool changed);
void* device_malloc(size_t bytes, int line);
void device_free(void* p, int line);
void* host_malloc(size_t bytes);
void* host_calloc(size_t count, size_t each);
long long ticks();
[[noreturn]] void trap(int line);
void unsupported(const char* what, int line);

template <class T>
inline __attribute__((always_inline)) uint64_t to_bits(T v) {
  static_assert(sizeof(T) <= 8, "warp operations move values of at most 8 bytes");
  if constexpr (sizeof(T) == 8) return __builtin_bit_cast(uint64_t, v);
  else if constexpr (sizeof(T) == 4) return __builtin_bit_cast(uint32_t, v);
  else if constexpr (sizeof(T) == 2) return __builtin_bit_cast(uint16_t, v);
  else return __builtin_bit_cast(uint8_t, v);
}
template <class T>
inline __attribute__((always_inline)) T from_bits(uint64_t v) {
  if constexpr (sizeof(T) == 8) return __builtin_bit_cast(T, v);
  else if constexpr (sizeof(T) == 4) return __builtin_bit_cast(T, (uint32_t)v);
  else if constexpr (sizeof(T) == 2) return __builtin_bit_cast(T, (uint16_t)v);
  else return __builtin_bit_cast(T, (uint8_t)v);
}
template <class T>
CUEMU_PLAIN T relaxed_load(const T* p) { return *p; }
}  // namespace cuemu

// ---- barriers and fences
inline void __syncthreads(CUEMU_LINE) { cuemu::barrier(line); }
inline int __syncthreads_count(int p, CUEMU_LINE) { return cuemu::barrier_reduce(0, p, line); }
inline int __syncthreads_and(int p, CUEMU_LINE) { return cuemu::barrier_reduce(1, p, line); }
inline int __syncthreads_or(int p, CUEMU_LINE) { return cuemu::barrier_reduce(2, p, line); }
inline void __threadfence() { cuemu::fence(1); }
inline void __threadfence_block() { cuemu::fence(0); }
inline void __threadfence_system() { cuemu::fence(2); }

// ---- warp operations
inline void __syncwarp(unsigned mask = 0xffffffffu, CUEMU_LINE) { cuemu::warp_op(cuemu::SYNC, mask, 0, 0, 0, 32, line); }
inline unsigned __activemask(CUEMU_LINE) { return cuemu::active_mask(line); }
#define CUEMU_SHUFFLE(NAME, KIND, ARG)                                                              \
  template <class T>                                                                                \
  inline __attribute__((always_inline)) T NAME(unsigned mask, T v, ARG arg, int width = 32, CUEMU_LINE) {                   \
    return cuemu::from_bits<T>(                                                                     \
        cuemu::warp_op(cuemu::KIND, mask, cuemu::to_bits(v), (int)sizeof(T), (int)arg, width, line)); \
  }
CUEMU_SHUFFLE(__shfl_sync, SHFL, int)
CUEMU_SHUFFLE(__shfl_up_sync, SHFL_UP, unsigned)
CUEMU_SHUFFLE(__shfl_down_sync, SHFL_DOWN, unsigned)
CUEMU_SHUFFLE(__shfl_xor_sync, SHFL_XOR, int)
inline unsigned __ballot_sync(unsigned mask, int p, CUEMU_LINE) {
  return (unsigned)cuemu::warp_op(cuemu::BALLOT, mask, p != 0, 4, 0, 32, line);
}
inline int __any_sync(unsigned mask, int p, CUEMU_LINE) {
  return (int)cuemu::warp_op(cuemu::ANY, mask, p != 0, 4, 0, 32, line);
}
inline int __all_sync(unsigned mask, int p, CUEMU_LINE) {
  return (int)cuemu::warp_op(cuemu::ALL, mask, p != 0, 4, 0, 32, line);
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T v, CUEMU_LINE) {
  return (unsigned)cuemu::warp_op(cuemu::MATCH_ANY, mask, cuemu::to_bits(v), (int)sizeof(T), 0, 32, line);
}
template <class T>
CUEMU_PLAIN unsigned __match_all_sync(unsigned mask, T v, int* pred, CUEMU_LINE) {
  unsigned same = (unsigned)cuemu::warp_op(cuemu::MATCH_ALL, mask, cuemu::to_bits(v), (int)sizeof(T), 0, 32, line);
  *pred = same != 0;
  return same;
}
#define CUEMU_REDUCE(NAME, KIND, T)                                                            \
  inline T NAME(unsigned mask, T v, CUEMU_LINE) {                                              \
    return (T)cuemu::warp_op(cuemu::KIND, mask, (uint64_t)(uint32_t)v, 4, 0, 32, line);        \
  }
CUEMU_REDUCE(__reduce_add_sync, ADD_U, unsigned)
CUEMU_REDUCE(__reduce_add_sync, ADD_S, int)
CUEMU_REDUCE(__reduce_min_sync, MIN_U, unsigned)
CUEMU_REDUCE(__reduce_min_sync, MIN_S, int)
CUEMU_REDUCE(__reduce_max_sync, MAX_U, unsigned)
CUEMU_REDUCE(__reduce_max_sync, MAX_S, int)
CUEMU_REDUCE(__reduce_and_sync, AND, unsigned)
CUEMU_REDUCE(__reduce_or_sync, OR, unsigned)
CUEMU_REDUCE(__reduce_xor_sync, XOR, unsigned)

// ---- atomics: one read-modify-write that nothing can interrupt, checked as such
namespace cuemu {
template <class T, class F>
CUEMU_PLAIN T rmw(T* address, F next, int line, int kind = MODIFIES) {
  atomic_begin(address, sizeof(T), kind, line);
  T old = *address;
  T now = next(old);
  bool changed = __builtin_memcmp(&old, &now, sizeof(T)) != 0;
  *address = now;
  atomic_end(changed);
  return old;
}
}  // namespace cuemu
#define CUEMU_OP(EXPR) [=](auto old) __attribute__((no_sanitize("thread"))) -> decltype(old) { return EXPR; }
#define CUEMU_ATOMIC_OF(NAME, T, EXPR, KIND)                                                                    \
  inline T NAME(T* p, T v, CUEMU_LINE) { return cuemu::rmw(p, CUEMU_OP(EXPR), line, cuemu::KIND); }             \
  inline T NAME##_block(T* p, T v, CUEMU_LINE) { return cuemu::rmw(p, CUEMU_OP(EXPR), line, cuemu::KIND); }     \
  inline T NAME##_system(T* p, T v, CUEMU_LINE) { return cuemu::rmw(p, CUEMU_OP(EXPR), line, cuemu::KIND); }
#define CUEMU_ATOMIC(NAME, T, EXPR) CUEMU_ATOMIC_OF(NAME, T, EXPR, MODIFIES)
#define CUEMU_ATOMIC_INTS(NAME, EXPR, KIND)  \
  CUEMU_ATOMIC_OF(NAME, int, EXPR, KIND)        \
  CUEMU_ATOMIC_OF(NAME, unsigned, EXPR, KIND)   \
  CUEMU_ATOMIC_OF(NAME, cuemu_ull, EXPR, KIND)
CUEMU_ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)v))
CUEMU_ATOMIC(atomicAdd, unsigned, old + v)
CUEMU_ATOMIC(atomicAdd, cuemu_ull, old + v)
CUEMU_ATOMIC(atomicAdd, float, old + v)
// A template, so that a file's own atomicAdd for doubles (the programming guide's, for old devices) comes first.
template <class... None>
inline double atomicAdd(double* p, double v, CUEMU_LINE) {
  return cuemu::rmw(p, CUEMU_OP(old + v), line);
}
CUEMU_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)v))
CUEMU_ATOMIC(atomicSub, unsigned, old - v)
CUEMU_ATOMIC_INTS(atomicExch, (decltype(old))v, EXCHANGES)
CUEMU_ATOMIC_OF(atomicExch, float, (decltype(old))v, EXCHANGES)
CUEMU_ATOMIC_INTS(atomicMin, old < v ? old : v, COMPARES)
CUEMU_ATOMIC_INTS(atomicMax, old > v ? old : v, COMPARES)
CUEMU_ATOMIC_OF(atomicMin, cuemu_ll, old < v ? old : v, COMPARES)
CUEMU_ATOMIC_OF(atomicMax, cuemu_ll, old > v ? old : v, COMPARES)
CUEMU_ATOMIC_INTS(atomicAnd, old& v, COMPARES)
CUEMU_ATOMIC_INTS(atomicOr, old | v, COMPARES)
CUEMU_ATOMIC_INTS(atomicXor, old ^ v, COMPARES)
CUEMU_ATOMIC(atomicInc, unsigned, old >= v ? 0u : old + 1)
CUEMU_ATOMIC(atomicDec, unsigned, (old == 0 || old > v) ? v : old - 1)
#define CUEMU_CAS(NAME, T)                                                            \
  inline T NAME(T* p, T compare, T v, CUEMU_LINE) {                                   \
    return cuemu::rmw(p, CUEMU_OP(old == compare ? v : old), line, cuemu::COMPARES);             \
  }
CUEMU_CAS(atomicCAS, int)
CUEMU_CAS(atomicCAS, unsigned)
CUEMU_CAS(atomicCAS, cuemu_ull)
CUEMU_CAS(atomicCAS, cuemu_ushort)
CUEMU_CAS(atomicCAS_block, int)
CUEMU_CAS(atomicCAS_block, unsigned)
CUEMU_CAS(atomicCAS_block, cuemu_ull)
CUEMU_CAS(atomicCAS_system, int)
CUEMU_CAS(atomicCAS_system, unsigned)
CUEMU_CAS(atomicCAS_system, cuemu_ull)

// ---- loads and stores with a cache hint are plain loads and stores, so the checker sees them
#define CUEMU_LOAD(NAME) \
  template <class T>     \
  inline __attribute__((always_inline)) T NAME(const T* p) { return *p; }
CUEMU_LOAD(__ldg)
CUEMU_LOAD(__ldcg)
CUEMU_LOAD(__ldca)
CUEMU_LOAD(__ldcs)
CUEMU_LOAD(__ldlu)
CUEMU_LOAD(__ldcv)
#define CUEMU_STORE(NAME) \
  template <class T>      \
  inline __attribute__((always_inline)) void NAME(T* p, T v) { *p = v; }
CUEMU_STORE(__stwb)
CUEMU_STORE(__stcg)
CUEMU_STORE(__stcs)
CUEMU_STORE(__stwt)

// ---- the rest
inline long long clock64() { return cuemu::ticks(); }
inline unsigned long long globaltimer_ns() { return (unsigned long long)cuemu::ticks(); }
inline void __nanosleep(unsigned) { cuemu::atomic_end(false); }
inline void __trap(CUEMU_LINE) { cuemu::trap(line); }
inline void __brkpt(CUEMU_LINE) { cuemu::trap(line); }
#define __builtin_assume_aligned_(p, n) (p)
inline unsigned __isGlobal(const void*) { return 1; }

// ---- shared memory: the rewriter turns `__shared__ T name[N]` into a typedef and a reference to one of these
namespace cuemu {
// `columns` and `layers`: the inner extents of an array of arrays, 0 where there is none.
void* shared_storage(size_t bytes, size_t element, size_t columns, size_t layers, const char* name, int line, void** slot);
void* dynamic_shared(const char* name);
template <class T, class Key>
CUEMU_PLAIN T& shared(const char* name, int line) {
  static void* slot;
  using E = std::remove_all_extents_t<T>;
  return *(T*)shared_storage(sizeof(T), sizeof(E), std::extent_v<T, 1>, std::extent_v<T, 2>, name, line, &slot);
}
template <class T>
CUEMU_PLAIN T& extern_shared(const char* name) {
  return *(T*)dynamic_shared(name);
}
void* symbol_storage(size_t bytes, size_t element, const char* name, int line, int kind);
// `image` holds the initial value; the variable itself lives in emulated device memory.
template <class T>
CUEMU_PLAIN T& symbol(const T& image, const char* name, int line, int kind) {
  using E = std::remove_all_extents_t<T>;
  void* p = symbol_storage(sizeof(T), sizeof(E), name, line, kind);
  __builtin_memcpy(p, (const void*)&image, sizeof(T));
  return *(T*)p;
}
}  // namespace cuemu

// ---- launches: the rewriter turns k<<<g, b, s, st>>>(args) into ::cuemu::on(k, ::cuemu::Config(g, b, s, st))(args)
namespace cuemu {
struct Config {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
  Config(dim3 g, dim3 b, size_t s = 0, cudaStream_t st = nullptr) : grid(g), block(b), shared_bytes(s), stream(st) {}
};
void launch(const Config& config, const void* kernel, void (*thunk)(void*), void* closure, int line);
template <class C>
CUEMU_PLAIN void run_closure(void* c) {
  (*static_cast<C*>(c))();
}
template <class... P>
struct FunctionLaunch {
  void (*kernel)(P...);
  Config config;
  int line;
  CUEMU_PLAIN void operator()(P... args) const {
    auto call = [&]() __attribute__((no_sanitize("thread"))) { kernel(args...); };
    launch(config, (const void*)kernel, run_closure<decltype(call)>, &call, line);
  }
};
template <class F>
struct LambdaLaunch {
  F kernel;
  Config config;
  int line;
  template <class... A>
  CUEMU_PLAIN void operator()(A... args) const {
    auto call = [&]() __attribute__((no_sanitize("thread"))) { kernel(args...); };
    launch(config, nullptr, run_closure<decltype(call)>, &call, line);
  }
};
template <class... P>
FunctionLaunch<P...> on(void (*kernel)(P...), Config config, CUEMU_LINE) {
  return {kernel, config, line};
}
template <class F, class = std::enable_if_t<!std::is_pointer_v<std::decay_t<F>> && !std::is_function_v<std::remove_reference_t<F>>>>
LambdaLaunch<F> on(F kernel, Config config, CUEMU_LINE) {
  return {kernel, config, line};
}
}  // namespace cuemu
