// The functions of the runtime's interface (declared in cuemu/api.h).
#pragma once
#include "order.h"

using namespace cuemu;

const char* cudaGetErrorString(cudaError_t e) {
  switch (e) {
#define CUEMU_CASE(name, value, words) \
  case name: return words;
    CUEMU_ERRORS(CUEMU_CASE)
#undef CUEMU_CASE
  }
  return "unrecognized error code";
}
const char* cudaGetErrorName(cudaError_t e) {
  switch (e) {
#define CUEMU_CASE(name, value, words) \
  case name: return #name;
    CUEMU_ERRORS(CUEMU_CASE)
#undef CUEMU_CASE
  }
  return "cudaErrorUnknown";
}
cudaError_t cudaGetLastError() {
  cudaError_t e = last_error;
  last_error = sticky;
  return e;
}
cudaError_t cudaPeekAtLastError() { return last_error; }
cudaError_t cudaDeviceSynchronize(int line) {
  no_device_call("cudaDeviceSynchronize in a kernel", line);
  synchronised();
  return sticky ? fail(sticky) : cudaSuccess;
}
cudaError_t cudaDeviceReset() {
  sticky = last_error = cudaSuccess;
  synchronised();
  reset_device();
  return cudaSuccess;
}
cudaError_t cudaFree(void* p, int line) { return free_memory(p, false, line); }
cudaError_t cudaFreeAsync(void* p, cudaStream_t, int line) { return free_memory(p, false, line); }
cudaError_t cudaFreeHost(void* p, int line) { return free_memory(p, true, line); }
cudaError_t cudaHostRegister(void* p, size_t n, unsigned) {
  if (!p || !n) return fail(cudaErrorInvalidValue);
  if (registered.count((u64)p)) return fail(cudaErrorHostMemoryAlreadyRegistered);
  registered[(u64)p] = (u64)p + n;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* p) { return registered.erase((u64)p) ? cudaSuccess : fail(cudaErrorHostMemoryNotRegistered); }
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = DEVICE_BYTES;
  *free = DEVICE_BYTES - in_use;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p) {
  Allocation* at;
  *a = {};
  if (!device_side(p, &at)) return cudaSuccess;
  a->type = at->space == MANAGED ? cudaMemoryTypeManaged : at->space == PINNED ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  a->devicePointer = (void*)p;
  if (at->space != DEVICE) a->hostPointer = (void*)p;
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind kind, int line) {
  cudaError_t e = copy(to, from, n, kind, nullptr, false, line);
  synchronised();
  return e;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind kind, cudaStream_t s, int line) {
  return copy(to, from, n, kind, s, true, line);
}
cudaError_t cudaMemcpy2D(void* to, size_t tp, const void* from, size_t fp, size_t width, size_t height, cudaMemcpyKind kind, int line) {
  if (width > tp || width > fp) {
    api_report("api-error", "pitch-too-small", line, "", (long long)width, (long long)std::min(tp, fp));
    return fail(cudaErrorInvalidPitchValue);
  }
  for (size_t y = 0; y < height; y++) {
    cudaError_t e = copy((char*)to + y * tp, (const char*)from + y * fp, width, kind, nullptr, false, line);
    if (e) return e;
  }
  synchronised();
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t tp, const void* from, size_t fp, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t, int line) {
  return cudaMemcpy2D(to, tp, from, fp, width, height, kind, line);
}
cudaError_t cudaMemset(void* p, int value, size_t n, int line) { return fill(p, value, n, line); }
cudaError_t cudaMemsetAsync(void* p, int value, size_t n, cudaStream_t, int line) { return fill(p, value, n, line); }
cudaError_t cudaMemset2D(void* p, size_t pitch, int value, size_t width, size_t height, int line) {
  if (width > pitch) return fail(cudaErrorInvalidPitchValue);
  for (size_t y = 0; y < height; y++)
    if (cudaError_t e = fill((char*)p + y * pitch, value, width, line)) return e;
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }

cudaError_t cudaGetDeviceCount(int* n) { return *n = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int* d) { return *d = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int d) { return d == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice); }
cudaError_t cudaChooseDevice(int* d, const cudaDeviceProp*) { return *d = 0, cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int d) {
  if (d != 0) return fail(cudaErrorInvalidDevice);
  *p = {};
  snprintf(p->name, sizeof p->name, "CPU emulator");
  p->totalGlobalMem = DEVICE_BYTES;
  p->sharedMemPerBlock = 49152;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = p->memoryClockRate = 1000000;
  p->totalConstMem = 65536;
  p->major = 9;
  p->textureAlignment = 512;
  p->multiProcessorCount = 8;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
  p->deviceOverlap = 1;
  p->asyncEngineCount = 2;
  p->memoryBusWidth = 256;
  p->l2CacheSize = 4194304;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxBlocksPerMultiProcessor = 32;
  p->sharedMemPerMultiprocessor = 233472;
  p->sharedMemPerBlockOptin = 232448;
  p->singleToDoublePrecisionPerfRatio = 2;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr a, int d) {
  if (d != 0) return fail(cudaErrorInvalidDevice);
  switch (a) {
#define CUEMU_CASE(name, number, says) \
  case cudaDevAttr##name: *value = says; return cudaSuccess;
    CUEMU_ATTRIBUTES(CUEMU_CASE)
#undef CUEMU_CASE
  }
  return fail(cudaErrorInvalidValue);
}
cudaError_t cudaDriverGetVersion(int* v) { return *v = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* v) { return *v = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t* v, cudaLimit l) {
  *v = l == cudaLimitStackSize ? 1024 : 8 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) { return *can = 0, cudaSuccess; }
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return fail(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) { return *least = *greatest = 0, cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

static cudaError_t stream_ok(cudaStream_t s, int line) {
  if (s > (cudaStream_t)2 && !s->alive) {
    api_report("api-error", "destroyed-stream", line);
    return fail(cudaErrorInvalidResourceHandle);
  }
  return sticky ? fail(sticky) : cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* s) {
  static int streams;
  *s = new CUstream_st{++streams, true, true, {}};
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned flags) {
  cudaStreamCreate(s);
  (*s)->blocking = !(flags & cudaStreamNonBlocking);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int) { return cudaStreamCreateWithFlags(s, flags); }
cudaError_t cudaStreamDestroy(cudaStream_t s, int line) {
  if (s <= (cudaStream_t)2) return fail(cudaErrorInvalidResourceHandle);
  cudaError_t e = stream_ok(s, line);
  s->alive = false;  // kept, so that a later use is recognised
  return e;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s, int line) {
  synchronised_stream(s, work_seq);
  return stream_ok(s, line);
}
cudaError_t cudaStreamQuery(cudaStream_t s) {
  synchronised_stream(s, work_seq);
  return stream_ok(s, 0);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned, int line) {
  if (!e || !e->alive) return fail(cudaErrorInvalidResourceHandle);
  if (e->recorded && s > (cudaStream_t)2) s->waits.push_back({e->stream, e->seq});
  return stream_ok(s, line);
}
// A callback runs when the stream's work so far is done, though the host has not waited for it.
template <class F>
static void call_back(cudaStream_t s, F f) {
  std::vector<Outstanding> before = outstanding;
  synchronised_stream(s, work_seq);
  f();
  outstanding = before;
}
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned) {
  call_back(s, [&] { f(s, sticky, data); });
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* data) {
  call_back(s, [&] { f(data); });
  return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned flags) {
  *e = new CUevent_st{true, false, !(flags & cudaEventDisableTiming), 0, nullptr, 0};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* e) { return cudaEventCreateWithFlags(e, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t e, int) {
  if (!e || !e->alive) return fail(cudaErrorInvalidResourceHandle);
  e->alive = false;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s, int line) {
  if (!e || !e->alive) return fail(cudaErrorInvalidResourceHandle);
  e->recorded = true;
  e->at = ticks();
  e->stream = s;
  e->seq = work_seq;
  return stream_ok(s, line);
}
cudaError_t cudaEventSynchronize(cudaEvent_t e, int) {
  if (!e || !e->alive) return fail(cudaErrorInvalidResourceHandle);
  if (e->recorded) synchronised_stream(e->stream, e->seq);
  return sticky ? fail(sticky) : cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e) { return cudaEventSynchronize(e, 0); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b, int line) {
  if (!a || !b || !a->alive || !b->alive || !a->timing || !b->timing || !a->recorded || !b->recorded) {
    api_report("api-error", "event-not-recorded", line);
    return fail(cudaErrorInvalidResourceHandle);
  }
  *ms = (float)((double)(b->at - a->at) * 1e-6);
  return cudaSuccess;
}
