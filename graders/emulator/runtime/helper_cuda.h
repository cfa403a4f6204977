// What teaching samples take from the helpers of NVIDIA's samples: error checks, choice of a device, timers, arguments.
#pragma once
#include "cuemu/prelude.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
inline const char* _cudaGetErrorEnum(cudaError_t e) { return cudaGetErrorName(e); }
inline void cuemu_check(cudaError_t e, const char* call, const char* file, int line) {
  if (e == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s failed: %s (%s)\n", file, line, call, cudaGetErrorString(e), cudaGetErrorName(e));
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) cuemu_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(words) cuemu_check(cudaGetLastError(), words, __FILE__, __LINE__)
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
inline int _ConvertSMVer2Cores(int, int) { return 1; }
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int, const char**) { return 0; }
inline int gpuDeviceInit(int) { return 0; }
inline bool checkCudaCapabilities(int major, int) { return major <= 9; }

// Arguments are written -name=value or --name=value.
inline const char* cuemu_argument(int n, const char** a, const char* name) {
  size_t length = strlen(name);
  for (int i = 1; i < n; i++) {
    const char* at = a[i];
    while (*at == '-') at++;
    if (at != a[i] && !strncmp(at, name, length) && (at[length] == '=' || !at[length])) return at + length;
  }
  return nullptr;
}
inline bool checkCmdLineFlag(int n, const char** a, const char* name) { return cuemu_argument(n, a, name) != nullptr; }
inline int getCmdLineArgumentInt(int n, const char** a, const char* name) {
  const char* v = cuemu_argument(n, a, name);
  return v && *v == '=' ? atoi(v + 1) : 0;
}
inline float getCmdLineArgumentFloat(int n, const char** a, const char* name) {
  const char* v = cuemu_argument(n, a, name);
  return v && *v == '=' ? (float)atof(v + 1) : 0.0f;
}
inline bool getCmdLineArgumentString(int n, const char** a, const char* name, char** out) {
  const char* v = cuemu_argument(n, a, name);
  if (!v || *v != '=') return false;
  *out = const_cast<char*>(v + 1);
  return true;
}

struct StopWatchInterface {
  long long since = 0, total = 0;
  bool running = false;
};
inline bool sdkCreateTimer(StopWatchInterface** t) { return *t = new StopWatchInterface, true; }
inline bool sdkDeleteTimer(StopWatchInterface** t) { return delete *t, *t = nullptr, true; }
inline bool sdkStartTimer(StopWatchInterface** t) { return (*t)->since = cuemu::ticks(), (*t)->running = true; }
inline bool sdkStopTimer(StopWatchInterface** t) {
  (*t)->total += cuemu::ticks() - (*t)->since;
  (*t)->running = false;
  return true;
}
inline bool sdkResetTimer(StopWatchInterface** t) { return (*t)->total = 0, (*t)->since = cuemu::ticks(), true; }
inline float sdkGetTimerValue(StopWatchInterface** t) {
  return (float)(((*t)->total + ((*t)->running ? cuemu::ticks() - (*t)->since : 0)) * 1e-6);
}
inline float sdkGetAverageTimerValue(StopWatchInterface** t) { return sdkGetTimerValue(t); }
template <class T>
bool cuemu_close(const T* a, const T* b, size_t n, double tolerance) {
  for (size_t i = 0; i < n; i++)
    if (!(fabs((double)a[i] - (double)b[i]) <= tolerance)) return false;
  return true;
}
inline bool compareData(const float* a, const float* b, unsigned n, float e, float) { return cuemu_close(a, b, n, e); }
inline bool sdkCompareL2fe(const float* a, const float* b, unsigned n, float e) {
  double error = 0, norm = 0;
  for (unsigned i = 0; i < n; i++) {
    error += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    norm += (double)a[i] * a[i];
  }
  return norm > 0 && sqrt(error / norm) < e;
}
