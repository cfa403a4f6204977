// Vector types, dim3 and the enumerations of the CUDA runtime that host and device code share.
#pragma once
#include <stddef.h>
#ifndef CUEMU_RUNTIME
// Block copies of the learner's code are checked; the compiler's own implicit calls go the same way.
extern "C" void* memcpy(void*, const void*, size_t) noexcept asm("cuemu_memcpy");
extern "C" void* memmove(void*, const void*, size_t) noexcept asm("cuemu_memmove");
extern "C" void* memset(void*, int, size_t) noexcept asm("cuemu_memset");
#endif
#include <cmath>
#include <math.h>  // the overloads of <cmath> at global scope
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <type_traits>
#include <utility>

// Sizes and alignments are CUDA's own, so that sizeof, reinterpret_cast and misaligned accesses mean the same here.
#define CUEMU_VECTOR(NAME, T, ALIGN2, ALIGN4)                                                              \
  struct NAME##1 {                                                                                         \
    T x;                                                                                                   \
  };                                                                                                       \
  struct alignas(ALIGN2) NAME##2 {                                                                         \
    T x, y;                                                                                                \
  };                                                                                                       \
  struct NAME##3 {                                                                                         \
    T x, y, z;                                                                                             \
  };                                                                                                       \
  struct alignas(ALIGN4) NAME##4 {                                                                         \
    T x, y, z, w;                                                                                          \
  };                                                                                                       \
  inline NAME##1 make_##NAME##1(T x) { return {x}; }                                                       \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                                               \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }                                       \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

typedef unsigned char cuemu_uchar;
typedef unsigned short cuemu_ushort;
typedef unsigned long cuemu_ulong;
typedef long long cuemu_ll;
typedef unsigned long long cuemu_ull;
CUEMU_VECTOR(char, signed char, 2, 4)
CUEMU_VECTOR(uchar, cuemu_uchar, 2, 4)
CUEMU_VECTOR(short, short, 4, 8)
CUEMU_VECTOR(ushort, cuemu_ushort, 4, 8)
CUEMU_VECTOR(int, int, 8, 16)
CUEMU_VECTOR(uint, unsigned, 8, 16)
CUEMU_VECTOR(long, long, 16, 16)
CUEMU_VECTOR(ulong, cuemu_ulong, 16, 16)
CUEMU_VECTOR(longlong, cuemu_ll, 16, 16)
CUEMU_VECTOR(ulonglong, cuemu_ull, 16, 16)
CUEMU_VECTOR(float, float, 8, 16)
CUEMU_VECTOR(double, double, 16, 16)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
// __noinline__ is left to the rewriter: libstdc++ uses the word inside attributes.
#define __launch_bounds__(...)
#define __maxnreg__(n)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define CUDART_CB
#define CUDARTAPI
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDA_EMULATOR 1

#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_MAX_NORMAL_F 3.402823466e38f
#define CUDART_MIN_DENORM_F 1.401298464e-45f

// name, value as CUDA numbers them, cudaGetErrorString's words
#define CUEMU_ERRORS(X)                                                                     \
  X(cudaSuccess, 0, "no error")                                                             \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                           \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                          \
  X(cudaErrorInitializationError, 3, "initialization error")                                \
  X(cudaErrorCudartUnloading, 4, "driver shutting down")                                    \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                     \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                               \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                    \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")               \
  X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                           \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                  \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                         \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found")                                 \
  X(cudaErrorNotReady, 600, "device not ready")                                             \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")               \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")          \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                 \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")               \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                   \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
  X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region") \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")             \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                  \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                              \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")       \
  X(cudaErrorNotSupported, 801, "operation not supported")                                  \
  X(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define CUEMU_ENUM(name, value, words) name = value,
  CUEMU_ERRORS(CUEMU_ENUM)
#undef CUEMU_ENUM
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy,
  cudaMemAdviseUnsetAccessedBy
};
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid = 0,
  cudaMemLocationTypeDevice = 1,
  cudaMemLocationTypeHost = 2,
  cudaMemLocationTypeHostNuma = 3,
  cudaMemLocationTypeHostNumaCurrent = 4
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4
};
enum cudaComputeMode { cudaComputeModeDefault = 0 };
#define CUEMU_ATTRIBUTES(X)                                                                                \
  X(MaxThreadsPerBlock, 1, 1024) X(MaxBlockDimX, 2, 1024) X(MaxBlockDimY, 3, 1024)                         \
  X(MaxBlockDimZ, 4, 64) X(MaxGridDimX, 5, 2147483647) X(MaxGridDimY, 6, 65535) X(MaxGridDimZ, 7, 65535)   \
  X(MaxSharedMemoryPerBlock, 8, 49152) X(TotalConstantMemory, 9, 65536) X(WarpSize, 10, 32)                \
  X(MaxRegistersPerBlock, 12, 65536) X(ClockRate, 13, 1000000) X(MultiProcessorCount, 16, 8)               \
  X(Integrated, 18, 0) X(CanMapHostMemory, 19, 1) X(ConcurrentKernels, 31, 1) X(MemoryClockRate, 36, 1000000) \
  X(GlobalMemoryBusWidth, 37, 256) X(L2CacheSize, 38, 4194304) X(MaxThreadsPerMultiProcessor, 39, 2048)    \
  X(AsyncEngineCount, 40, 2) X(UnifiedAddressing, 41, 1) X(ComputeCapabilityMajor, 75, 9)                  \
  X(ComputeCapabilityMinor, 76, 0) X(MaxSharedMemoryPerMultiprocessor, 81, 233472) X(ManagedMemory, 83, 1) \
  X(ConcurrentManagedAccess, 89, 0) X(PageableMemoryAccess, 88, 0) X(CooperativeLaunch, 95, 0)             \
  X(MaxSharedMemoryPerBlockOptin, 97, 232448) X(MemoryPoolsSupported, 115, 1)
enum cudaDeviceAttr {
#define CUEMU_ENUM(name, value, says) cudaDevAttr##name = value,
  CUEMU_ATTRIBUTES(CUEMU_ENUM)
#undef CUEMU_ENUM
};

#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
#define cudaOccupancyDefault 0
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
typedef void (*cudaHostFn_t)(void*);

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
  int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, concurrentManagedAccess, pageableMemoryAccess;
  int cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int maxBlocksPerMultiProcessor, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio;
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* p, size_t pitch, size_t x, size_t y) { return {p, pitch, x, y}; }
