/* The part of CUDA's runtime that raddle has for hosts. What is not a template is in raddle's library (libc/cuda.c). A kernel never comes
 * here.
 */
#pragma GCC system_header
#ifndef RADDLE_CUDA_HOST_H
#define RADDLE_CUDA_HOST_H

/* Texts of C++ run from its headers; streams are the library's (libc/cxx.c), and headers only declare what they have. */
#if !defined(__CUDA_ARCH__) && __has_include(<bits/ostream_insert.h>)
#include <bits/c++config.h>
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 1
#include <bits/ostream_insert.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include <string>
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")
#endif

/* nvcc has <math.h> included before everything else, which in C++ brings much along: hosts get what they mostly use of it. */
extern "C" {
double fabs(double) noexcept(true); float fabsf(float) noexcept(true);
double sqrt(double) noexcept(true); float sqrtf(float) noexcept(true);
double cbrt(double) noexcept(true); float cbrtf(float) noexcept(true);
double exp(double) noexcept(true); float expf(float) noexcept(true);
double exp2(double) noexcept(true); float exp2f(float) noexcept(true);
double log(double) noexcept(true); float logf(float) noexcept(true);
double log2(double) noexcept(true); float log2f(float) noexcept(true);
double log10(double) noexcept(true); float log10f(float) noexcept(true);
double sin(double) noexcept(true); float sinf(float) noexcept(true);
double cos(double) noexcept(true); float cosf(float) noexcept(true);
double tan(double) noexcept(true); float tanf(float) noexcept(true);
double asin(double) noexcept(true); float asinf(float) noexcept(true);
double acos(double) noexcept(true); float acosf(float) noexcept(true);
double atan(double) noexcept(true); float atanf(float) noexcept(true);
double sinh(double) noexcept(true); float sinhf(float) noexcept(true);
double cosh(double) noexcept(true); float coshf(float) noexcept(true);
double tanh(double) noexcept(true); float tanhf(float) noexcept(true);
double floor(double) noexcept(true); float floorf(float) noexcept(true);
double ceil(double) noexcept(true); float ceilf(float) noexcept(true);
double round(double) noexcept(true); float roundf(float) noexcept(true);
double trunc(double) noexcept(true); float truncf(float) noexcept(true);
double rint(double) noexcept(true); float rintf(float) noexcept(true);
double pow(double, double) noexcept(true); float powf(float, float) noexcept(true);
double fmod(double, double) noexcept(true); float fmodf(float, float) noexcept(true);
double atan2(double, double) noexcept(true); float atan2f(float, float) noexcept(true);
double hypot(double, double) noexcept(true); float hypotf(float, float) noexcept(true);
double fmin(double, double) noexcept(true); float fminf(float, float) noexcept(true);
double fmax(double, double) noexcept(true); float fmaxf(float, float) noexcept(true);
}
/* Sources ask for the guards of CUDA's own headers, and for its version. */
#include <time.h>
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

#define RADDLE_CUDA static inline __host__ __attribute__((section("raddle.library"), unused))

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInsufficientDriver = 35,
    cudaErrorMissingConfiguration = 52,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchTimeout = 702,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999
} cudaError_t;
typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
} cudaMemcpyKind;
typedef enum cudaLimit {
    cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount
} cudaLimit;
typedef enum cudaFuncCache {
    cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual
} cudaFuncCache;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum { cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2 };
typedef enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX = 2, cudaDevAttrMaxBlockDimY = 3, cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5, cudaDevAttrMaxGridDimY = 6, cudaDevAttrMaxGridDimZ = 7, cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9, cudaDevAttrWarpSize = 10, cudaDevAttrClockRate = 13, cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrIntegrated = 18, cudaDevAttrCanMapHostMemory = 19, cudaDevAttrComputeMode = 20, cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrAsyncEngineCount = 40, cudaDevAttrUnifiedAddressing = 41, cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrManagedMemory = 83, cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrCooperativeLaunch = 95
} cudaDeviceAttr;
enum { cudaComputeModeDefault = 0, cudaComputeModeExclusive = 1, cudaComputeModeProhibited = 2, cudaComputeModeExclusiveProcess = 3 };
enum { cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4,
       cudaDeviceMapHost = 8 };
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };

/* What a device has: one of compute capability 7.0. */
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, totalConstMem, memPitch, textureAlignment;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor;
    int multiProcessorCount, integrated, canMapHostMemory, computeMode, concurrentKernels, asyncEngineCount, unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, maxThreadsPerMultiProcessor, managedMemory, concurrentManagedAccess, cooperativeLaunch;
    int pageableMemoryAccess, kernelExecTimeoutEnabled, ECCEnabled, deviceOverlap, pciBusID, pciDeviceID;
};

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 __grid, dim3 __block, size_t __bytes = 0, cudaStream_t __stream = 0);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t __raddle_cuda_malloc(void **, size_t);
cudaError_t __raddle_cuda_managed(void **, size_t);
cudaError_t __raddle_cuda_pinned(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaHostRegister(void *, size_t, unsigned);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = 0);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache);
cudaError_t cudaThreadExit(void);
cudaError_t cudaSetDevice(int);
cudaError_t cudaSetDeviceFlags(unsigned);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned, int);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
/* Declared, so that sources are read that call them; hosts that do end in the ledger. */
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaMemset2D(void *, size_t, int, size_t, size_t);
cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*)(void *), void *);
}

template <class __T> RADDLE_CUDA cudaError_t cudaMalloc(__T **__to, size_t __bytes) {
    return __raddle_cuda_malloc((void **)(void *)__to, __bytes);
}
template <class __T> RADDLE_CUDA cudaError_t cudaMallocManaged(__T **__to, size_t __bytes, unsigned = cudaMemAttachGlobal) {
    return __raddle_cuda_managed((void **)(void *)__to, __bytes);
}
template <class __T> RADDLE_CUDA cudaError_t cudaMallocHost(__T **__to, size_t __bytes, unsigned = 0) {
    return __raddle_cuda_pinned((void **)(void *)__to, __bytes);
}
template <class __T> RADDLE_CUDA cudaError_t cudaHostAlloc(__T **__to, size_t __bytes, unsigned) {
    return __raddle_cuda_pinned((void **)(void *)__to, __bytes);
}
/* The host's pointer to pinned memory is the device's, too ('Unified Virtual Addressing'). */
template <class __T> RADDLE_CUDA cudaError_t cudaHostGetDevicePointer(__T **__to, void *__host, unsigned) {
    *__to = static_cast<__T *>(__host);
    return cudaSuccess;
}
/* Variables of the device: by their names, or by pointers to those. */
extern "C" cudaError_t __raddle_cuda_symbol(void **, const void *);
RADDLE_CUDA cudaError_t cudaGetSymbolAddress(void **__to, const void *__symbol) {
    return __raddle_cuda_symbol(__to, __symbol);
}
RADDLE_CUDA cudaError_t cudaMemcpyToSymbol(const void *__symbol, const void *__from, size_t __bytes, size_t __offset = 0,
                                           cudaMemcpyKind __kind = cudaMemcpyHostToDevice) {
    void *__own;
    cudaError_t __error = __raddle_cuda_symbol(&__own, __symbol);
    return __error ? __error : cudaMemcpy(static_cast<char *>(__own) + __offset, __from, __bytes, __kind);
}
RADDLE_CUDA cudaError_t cudaMemcpyFromSymbol(void *__to, const void *__symbol, size_t __bytes, size_t __offset = 0,
                                             cudaMemcpyKind __kind = cudaMemcpyDeviceToHost) {
    void *__own;
    cudaError_t __error = __raddle_cuda_symbol(&__own, __symbol);
    return __error ? __error : cudaMemcpy(__to, static_cast<char *>(__own) + __offset, __bytes, __kind);
}
RADDLE_CUDA cudaError_t cudaMemcpyToSymbolAsync(const void *__symbol, const void *__from, size_t __bytes, size_t __offset = 0,
                                                cudaMemcpyKind __kind = cudaMemcpyHostToDevice, cudaStream_t __stream = 0) {
    void *__own;
    cudaError_t __error = __raddle_cuda_symbol(&__own, __symbol);
    return __error ? __error : cudaMemcpyAsync(static_cast<char *>(__own) + __offset, __from, __bytes, __kind, __stream);
}
RADDLE_CUDA cudaError_t cudaMemcpyFromSymbolAsync(void *__to, const void *__symbol, size_t __bytes, size_t __offset = 0,
                                                  cudaMemcpyKind __kind = cudaMemcpyDeviceToHost, cudaStream_t __stream = 0) {
    void *__own;
    cudaError_t __error = __raddle_cuda_symbol(&__own, __symbol);
    return __error ? __error : cudaMemcpyAsync(__to, static_cast<char *>(__own) + __offset, __bytes, __kind, __stream);
}
template <class __T> RADDLE_CUDA const void *__raddle_cuda_named(const __T &__symbol) {
    return const_cast<const void *>(reinterpret_cast<const volatile void *>(&__symbol));
}
template <class __T> RADDLE_CUDA cudaError_t cudaGetSymbolAddress(void **__to, const __T &__symbol) {
    return cudaGetSymbolAddress(__to, __raddle_cuda_named(__symbol));
}
template <class __T> RADDLE_CUDA cudaError_t cudaGetSymbolSize(size_t *__to, const __T &__symbol) {
    void *__own;
    *__to = sizeof __symbol;
    return __raddle_cuda_symbol(&__own, __raddle_cuda_named(__symbol));
}
template <class __T>
RADDLE_CUDA cudaError_t cudaMemcpyToSymbol(const __T &__symbol, const void *__from, size_t __bytes, size_t __offset = 0,
                                           cudaMemcpyKind __kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol(__raddle_cuda_named(__symbol), __from, __bytes, __offset, __kind);
}
template <class __T>
RADDLE_CUDA cudaError_t cudaMemcpyFromSymbol(void *__to, const __T &__symbol, size_t __bytes, size_t __offset = 0,
                                             cudaMemcpyKind __kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(__to, __raddle_cuda_named(__symbol), __bytes, __offset, __kind);
}
template <class __T>
RADDLE_CUDA cudaError_t cudaMemcpyToSymbolAsync(const __T &__symbol, const void *__from, size_t __bytes, size_t __offset = 0,
                                                cudaMemcpyKind __kind = cudaMemcpyHostToDevice, cudaStream_t __stream = 0) {
    return cudaMemcpyToSymbolAsync(__raddle_cuda_named(__symbol), __from, __bytes, __offset, __kind, __stream);
}
template <class __T>
RADDLE_CUDA cudaError_t cudaMemcpyFromSymbolAsync(void *__to, const __T &__symbol, size_t __bytes, size_t __offset = 0,
                                                  cudaMemcpyKind __kind = cudaMemcpyDeviceToHost, cudaStream_t __stream = 0) {
    return cudaMemcpyFromSymbolAsync(__to, __raddle_cuda_named(__symbol), __bytes, __offset, __kind, __stream);
}
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
extern "C" cudaError_t __raddle_cuda_function_attribute(const void *, int, int);
extern "C" cudaError_t __raddle_cuda_function_cache(const void *, int);
template <class __T> RADDLE_CUDA cudaError_t cudaFuncSetAttribute(__T *__kernel, cudaFuncAttribute __which, int __value) {
    return __raddle_cuda_function_attribute(reinterpret_cast<const void *>(__kernel), __which, __value);
}
template <class __T> RADDLE_CUDA cudaError_t cudaFuncSetCacheConfig(__T *__kernel, cudaFuncCache __config) {
    return __raddle_cuda_function_cache(reinterpret_cast<const void *>(__kernel), __config);
}
template <class __T>
RADDLE_CUDA cudaError_t cudaLaunchKernel(__T *__kernel, dim3 __grid, dim3 __block, void **__arguments, size_t __bytes = 0,
                                         cudaStream_t __stream = 0) {
    return cudaLaunchKernel(reinterpret_cast<const void *>(__kernel), __grid, __block, __arguments, __bytes, __stream);
}

RADDLE_CUDA cudaError_t cudaGetDeviceProperties(cudaDeviceProp *__to, int __device) {
    if (__device != 0) {
        return cudaSetDevice(__device);
    }
    memset(__to, 0, sizeof *__to);
    memcpy(__to->name, "raddle", 7);
    __to->totalGlobalMem = static_cast<size_t>(16) << 30;
    __to->sharedMemPerBlock = 48 << 10;
    __to->sharedMemPerMultiprocessor = 96 << 10;
    __to->totalConstMem = 64 << 10;
    __to->regsPerBlock = __to->regsPerMultiprocessor = 65536;
    __to->warpSize = 32;
    __to->maxThreadsPerBlock = __to->maxThreadsDim[0] = __to->maxThreadsDim[1] = 1024;
    __to->maxThreadsDim[2] = 64;
    __to->maxGridSize[0] = 0x7fffffff;
    __to->maxGridSize[1] = __to->maxGridSize[2] = 65535;
    __to->major = 7;
    __to->multiProcessorCount = 80;
    __to->maxThreadsPerMultiProcessor = 2048;
    __to->canMapHostMemory = __to->concurrentKernels = __to->unifiedAddressing = __to->managedMemory = 1;
    __to->concurrentManagedAccess = __to->cooperativeLaunch = __to->asyncEngineCount = 1;
    return cudaSuccess;
}

#undef RADDLE_CUDA
#endif
