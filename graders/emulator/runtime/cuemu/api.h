// The host side of the CUDA runtime. Everything runs at once and in the order of the calls; what a real device might
// do later (streams, asynchronous copies) is tracked, so that a missing synchronisation is still found.
#pragma once
#include "device.h"

const char* cudaGetErrorString(cudaError_t e);
const char* cudaGetErrorName(cudaError_t e);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDeviceSynchronize(CUEMU_LINE);
inline cudaError_t cudaThreadSynchronize(CUEMU_LINE) { return cudaDeviceSynchronize(line); }
cudaError_t cudaDeviceReset();
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

namespace cuemu {
cudaError_t malloc_device(void** p, size_t bytes, int line);
cudaError_t malloc_managed(void** p, size_t bytes, unsigned flags, int line);
cudaError_t malloc_pinned(void** p, size_t bytes, unsigned flags, int line);
cudaError_t malloc_pitch(void** p, size_t* pitch, size_t width, size_t height, int line);
cudaError_t host_device_pointer(void** device, void* host);
cudaError_t copy_symbol(const void* symbol, size_t symbol_bytes, void* other, size_t n, size_t offset, bool to, cudaMemcpyKind kind,
                        cudaStream_t stream, bool async, int line);
cudaError_t symbol_address(void** p, const void* symbol);
cudaError_t function_attributes(cudaFuncAttributes* a);
cudaError_t function_attribute(const void* f, cudaFuncAttribute a, int value);
cudaError_t occupancy(int* blocks, int threads, size_t shared_bytes);
cudaError_t launch_kernel(const void* f, dim3 grid, dim3 block, void** args, size_t shared_bytes, cudaStream_t stream, bool cooperative, int line);
}  // namespace cuemu

template <class T>
cudaError_t cudaMalloc(T** p, size_t bytes, CUEMU_LINE) {
  return cuemu::malloc_device((void**)p, bytes, line);
}
template <class T>
cudaError_t cudaMallocManaged(T** p, size_t bytes, unsigned flags = cudaMemAttachGlobal, CUEMU_LINE) {
  return cuemu::malloc_managed((void**)p, bytes, flags, line);
}
template <class T>
cudaError_t cudaMallocHost(T** p, size_t bytes, unsigned flags = 0, CUEMU_LINE) {
  return cuemu::malloc_pinned((void**)p, bytes, flags, line);
}
template <class T>
cudaError_t cudaHostAlloc(T** p, size_t bytes, unsigned flags, CUEMU_LINE) {
  return cuemu::malloc_pinned((void**)p, bytes, flags, line);
}
template <class T>
cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height, CUEMU_LINE) {
  return cuemu::malloc_pitch((void**)p, pitch, width, height, line);
}
template <class T>
cudaError_t cudaMallocAsync(T** p, size_t bytes, cudaStream_t, CUEMU_LINE) {
  return cuemu::malloc_device((void**)p, bytes, line);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
  return cuemu::host_device_pointer((void**)device, host);
}
cudaError_t cudaFree(void* p, CUEMU_LINE);
cudaError_t cudaFreeAsync(void* p, cudaStream_t s, CUEMU_LINE);
cudaError_t cudaFreeHost(void* p, CUEMU_LINE);
cudaError_t cudaHostRegister(void* p, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* p);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p);

cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind kind, CUEMU_LINE);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind kind = cudaMemcpyDefault, cudaStream_t s = nullptr, CUEMU_LINE);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, CUEMU_LINE);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t s = nullptr, CUEMU_LINE);
cudaError_t cudaMemset(void* p, int value, size_t n, CUEMU_LINE);
cudaError_t cudaMemsetAsync(void* p, int value, size_t n, cudaStream_t s = nullptr, CUEMU_LINE);
cudaError_t cudaMemset2D(void* p, size_t pitch, int value, size_t width, size_t height, CUEMU_LINE);
cudaError_t cudaMemPrefetchAsync(const void* p, size_t n, int device, cudaStream_t s = nullptr);
cudaError_t cudaMemPrefetchAsync(const void* p, size_t n, cudaMemLocation where, unsigned flags, cudaStream_t s = nullptr);
cudaError_t cudaMemAdvise(const void* p, size_t n, cudaMemoryAdvise advice, int device);
cudaError_t cudaMemAdvise(const void* p, size_t n, cudaMemoryAdvise advice, cudaMemLocation where);

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t n, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice, CUEMU_LINE) {
  return cuemu::copy_symbol(&symbol, sizeof(T), (void*)from, n, offset, true, kind, nullptr, false, line);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t n, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost, CUEMU_LINE) {
  return cuemu::copy_symbol(&symbol, sizeof(T), to, n, offset, false, kind, nullptr, false, line);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t n, size_t offset, cudaMemcpyKind kind, cudaStream_t s = nullptr,
                                    CUEMU_LINE) {
  return cuemu::copy_symbol(&symbol, sizeof(T), (void*)from, n, offset, true, kind, s, true, line);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t n, size_t offset, cudaMemcpyKind kind, cudaStream_t s = nullptr,
                                      CUEMU_LINE) {
  return cuemu::copy_symbol(&symbol, sizeof(T), to, n, offset, false, kind, s, true, line);
}
template <class P, class T>
cudaError_t cudaGetSymbolAddress(P** p, const T& symbol) {
  return cuemu::symbol_address((void**)p, &symbol);
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* n, const T&) {
  *n = sizeof(T);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* n);
cudaError_t cudaGetDevice(int* d);
cudaError_t cudaSetDevice(int d);
cudaError_t cudaChooseDevice(int* d, const cudaDeviceProp* p);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int d);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr a, int d);
cudaError_t cudaDriverGetVersion(int* v);
cudaError_t cudaRuntimeGetVersion(int* v);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache c);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig c);
cudaError_t cudaDeviceSetLimit(cudaLimit l, size_t v);
cudaError_t cudaDeviceGetLimit(size_t* v, cudaLimit l);
cudaError_t cudaDeviceCanAccessPeer(int* can, int a, int b);
cudaError_t cudaDeviceEnablePeerAccess(int d, unsigned flags);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

cudaError_t cudaStreamCreate(cudaStream_t* s);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t s, CUEMU_LINE);
cudaError_t cudaStreamSynchronize(cudaStream_t s, CUEMU_LINE);
cudaError_t cudaStreamQuery(cudaStream_t s);
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags = 0, CUEMU_LINE);
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void* data, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* data);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void* p, size_t n = 0, unsigned flags = 4);
cudaError_t cudaEventCreate(cudaEvent_t* e);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t* e, unsigned flags) { return cudaEventCreateWithFlags(e, flags); }
cudaError_t cudaEventDestroy(cudaEvent_t e, CUEMU_LINE);
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s = nullptr, CUEMU_LINE);
cudaError_t cudaEventSynchronize(cudaEvent_t e, CUEMU_LINE);
cudaError_t cudaEventQuery(cudaEvent_t e);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b, CUEMU_LINE);

template <class F>
cudaError_t cudaFuncSetAttribute(F* f, cudaFuncAttribute a, int value) {
  return cuemu::function_attribute((const void*)f, a, value);
}
template <class F>
cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) {
  return cudaSuccess;
}
template <class F>
cudaError_t cudaFuncSetSharedMemConfig(F*, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, F*) {
  return cuemu::function_attributes(a);
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F*, size_t = 0, int limit = 0) {
  *block = limit > 0 && limit < 256 ? limit : 256;
  *grid = 64;
  return cudaSuccess;
}
template <class S, class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F*, S, int limit = 0) {
  *block = limit > 0 && limit < 256 ? limit : 256;
  *grid = 64;
  return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F*, int threads, size_t shared_bytes) {
  return cuemu::occupancy(blocks, threads, shared_bytes);
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F*, int threads, size_t shared_bytes, unsigned) {
  return cuemu::occupancy(blocks, threads, shared_bytes);
}

// cudaLaunchKernel hands the arguments as untyped pointers; the kernel's own type says what they are.
namespace cuemu {
template <class... P, size_t... I>
void launch_pointers(void (*f)(P...), const Config& c, void** args, int line, std::index_sequence<I...>) {
  on(f, c, line)(*(std::remove_reference_t<P>*)args[I]...);
}
}  // namespace cuemu
template <class... P>
cudaError_t cudaLaunchKernel(void (*f)(P...), dim3 grid, dim3 block, void** args, size_t shared_bytes = 0, cudaStream_t s = nullptr, CUEMU_LINE) {
  cuemu::launch_pointers(f, cuemu::Config(grid, block, shared_bytes, s), args, line, std::index_sequence_for<P...>{});
  return cudaPeekAtLastError();
}
