// How a lesson's host function is called: the harness appends a call that goes through here.
#pragma once
#include "api.h"

namespace cuemu {
template <class F>
CUEMU_PLAIN int entry_result(F call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return (int)cudaGetLastError();
  } else {
    return (int)call();
  }
}
inline int call_main(int (*f)(), int, char**) { return f(); }
inline int call_main(int (*f)(int, char**), int n, char** a) { return f(n, a); }
inline int call_main(int (*f)(int, const char**), int n, char** a) { return f(n, (const char**)a); }
inline int call_main(int (*f)(int, char* const*), int n, char** a) { return f(n, a); }
inline int call_main(int (*f)(int, char**, char**), int n, char** a) { return f(n, a, a + n); }
inline int call_main(void (*f)(), int, char**) { return f(), 0; }
}  // namespace cuemu
