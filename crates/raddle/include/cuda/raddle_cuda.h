/* CUDA's language and the part of its device library that raddle models, for kernels without a CUDA SDK.
 *
 * Included before everything else. What synchronises, or reads a thread's position, calls a function whose name begins
 * with `__raddle_gpu_`: the machine has a model for each. Functions marked RADDLE_GPU are the library's: what happens in
 * them is the calling kernel's doing.
 */
#pragma GCC system_header
#ifndef RADDLE_CUDA_H
#define RADDLE_CUDA_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
/* Managed memory is seen by both sides. */
#define __managed__ __attribute__((device, section("raddle.managed")))

#define RADDLE_GPU static inline __device__ __attribute__((section("raddle.library"), unused))

/* nvcc has these included before everything else as well. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* What the machine models. */
extern "C" {
__device__ unsigned __raddle_gpu_position(int __which);
__device__ void __raddle_gpu_barrier(void);
__device__ void __raddle_gpu_grid_barrier(void);
__device__ void __raddle_gpu_converge(int __what, unsigned __mask);
__device__ void __raddle_gpu_give(unsigned long long __bits);
__device__ unsigned long long __raddle_gpu_take(unsigned __lane, unsigned long long __own);
__device__ unsigned __raddle_gpu_ballot(void);
__device__ unsigned __raddle_gpu_members(void);
__device__ unsigned __raddle_gpu_active(void);
__device__ void __raddle_gpu_fence(int __scope);
__device__ void __raddle_gpu_thread_fence(int __order, int __scope);
__device__ void __raddle_gpu_scope(int __scope);
__device__ void __raddle_gpu_trap(void) __attribute__((noreturn));
__device__ long long __raddle_gpu_clock(void);
__device__ float __raddle_gpu_float(const char *__function, double x, double y);
__device__ double __raddle_gpu_double(const char *__function, double x, double y);

/* The device's side of the C library. */
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ void __assert_fail(const char *, const char *, unsigned, const char *) throw() __attribute__((noreturn));
__device__ void *memcpy(void *, const void *, size_t);
__device__ void *memmove(void *, const void *, size_t);
__device__ void *memset(void *, int, size_t);
}

/* Clang defines these for devices in its wrapper around <new>, which <algorithm> and others include: that has to be the only definition. First what is the host's,
 * then, with `__device__` there, the wrapper's own, which are the library's. */
#if __has_include(<new>)
#pragma push_macro("__device__")
#undef __device__
#include <new>
#pragma pop_macro("__device__")
#pragma clang attribute push(__attribute__((section("raddle.library"))), apply_to = function)
#include <new>
#pragma clang attribute pop
#else
#define RADDLE_GPU_BLOCKS __device__ __attribute__((section("raddle.library"))) inline
RADDLE_GPU_BLOCKS void *operator new(size_t __size) { return malloc(__size); }
RADDLE_GPU_BLOCKS void *operator new[](size_t __size) { return malloc(__size); }
RADDLE_GPU_BLOCKS void operator delete(void *__block) noexcept { free(__block); }
RADDLE_GPU_BLOCKS void operator delete[](void *__block) noexcept { free(__block); }
RADDLE_GPU_BLOCKS void operator delete(void *__block, size_t) noexcept { free(__block); }
RADDLE_GPU_BLOCKS void operator delete[](void *__block, size_t) noexcept { free(__block); }
#endif

/* Vector types. */
#define RADDLE_GPU_VECTORS(type, name)                                                                                 \
    struct name##1 { type x; };                                                                                        \
    struct name##2 { type x, y; };                                                                                     \
    struct name##3 { type x, y, z; };                                                                                  \
    struct __attribute__((aligned(sizeof(type) >= 8 ? 16 : 4 * sizeof(type)))) name##4 { type x, y, z, w; };           \
    RADDLE_GPU_HOST name##1 make_##name##1(type x) { return name##1{x}; }                                              \
    RADDLE_GPU_HOST name##2 make_##name##2(type x, type y) { return name##2{x, y}; }                                   \
    RADDLE_GPU_HOST name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; }                        \
    RADDLE_GPU_HOST name##4 make_##name##4(type x, type y, type z, type w) { return name##4{x, y, z, w}; }
#define RADDLE_GPU_HOST static inline __host__ __device__ __attribute__((unused))
RADDLE_GPU_VECTORS(signed char, char)
RADDLE_GPU_VECTORS(unsigned char, uchar)
RADDLE_GPU_VECTORS(short, short)
RADDLE_GPU_VECTORS(unsigned short, ushort)
RADDLE_GPU_VECTORS(int, int)
RADDLE_GPU_VECTORS(unsigned, uint)
RADDLE_GPU_VECTORS(long, long)
RADDLE_GPU_VECTORS(unsigned long, ulong)
RADDLE_GPU_VECTORS(long long, longlong)
RADDLE_GPU_VECTORS(unsigned long long, ulonglong)
RADDLE_GPU_VECTORS(float, float)
RADDLE_GPU_VECTORS(double, double)
#undef RADDLE_GPU_VECTORS

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

/* Where a thread is. The numbers are the machine's: 0 to 2 threadIdx, 3 to 5 blockIdx, 6 to 8 blockDim, 9 to 11 gridDim. */
#define RADDLE_GPU_POSITION(name, of, __first)                                                                         \
    struct __raddle_gpu_##name {                                                                                       \
        __declspec(property(get = get_x)) unsigned x;                                                                  \
        __declspec(property(get = get_y)) unsigned y;                                                                  \
        __declspec(property(get = get_z)) unsigned z;                                                                  \
        static inline __device__ __attribute__((section("raddle.library"))) unsigned get_x() {                         \
            return __raddle_gpu_position(__first);                                                                     \
        }                                                                                                              \
        static inline __device__ __attribute__((section("raddle.library"))) unsigned get_y() {                         \
            return __raddle_gpu_position(__first + 1);                                                                 \
        }                                                                                                              \
        static inline __device__ __attribute__((section("raddle.library"))) unsigned get_z() {                         \
            return __raddle_gpu_position(__first + 2);                                                                 \
        }                                                                                                              \
        __device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); }                                   \
        __device__ operator uint3() const { return uint3{get_x(), get_y(), get_z()}; }                                 \
    };                                                                                                                 \
    extern const __device__ __attribute__((weak)) __raddle_gpu_##name name;
RADDLE_GPU_POSITION(threadIdx, uint3, 0)
RADDLE_GPU_POSITION(blockIdx, uint3, 3)
RADDLE_GPU_POSITION(blockDim, dim3, 6)
RADDLE_GPU_POSITION(gridDim, dim3, 9)
#undef RADDLE_GPU_POSITION
/* No macro: hosts have members of this name. */
struct __raddle_gpu_warp_size {
    __device__ __attribute__((section("raddle.library"))) operator int() const {
        return static_cast<int>(__raddle_gpu_position(12));
    }
};
extern const __device__ __raddle_gpu_warp_size warpSize;
#define RADDLE_GPU_LANE __raddle_gpu_position(13)

/* Barriers and fences. */
#define __syncthreads() __raddle_gpu_barrier()
RADDLE_GPU int __syncthreads_count(int __p) {
    __raddle_gpu_give(__p != 0);
    __raddle_gpu_barrier();
    return static_cast<int>(__raddle_gpu_position(14));
}
RADDLE_GPU int __syncthreads_and(int __p) { return __syncthreads_count(!__p) == 0; }
RADDLE_GPU int __syncthreads_or(int __p) { return __syncthreads_count(__p) != 0; }
RADDLE_GPU void __syncwarp(unsigned __mask = 0xffffffffu) { __raddle_gpu_converge(0, __mask); }
RADDLE_GPU void __threadfence_block() { __raddle_gpu_fence(0); }
RADDLE_GPU void __threadfence() { __raddle_gpu_fence(1); }
RADDLE_GPU void __threadfence_system() { __raddle_gpu_fence(2); }
RADDLE_GPU unsigned __activemask() { return __raddle_gpu_active(); }

/* Votes. */
RADDLE_GPU unsigned __ballot_sync(unsigned __mask, int __p) {
    __raddle_gpu_give(__p != 0);
    __raddle_gpu_converge(1, __mask);
    return __raddle_gpu_ballot();
}
RADDLE_GPU int __any_sync(unsigned __mask, int __p) {
    __raddle_gpu_give(__p != 0);
    __raddle_gpu_converge(2, __mask);
    return __raddle_gpu_ballot() != 0;
}
RADDLE_GPU int __all_sync(unsigned __mask, int __p) {
    __raddle_gpu_give(__p == 0);
    __raddle_gpu_converge(3, __mask);
    return __raddle_gpu_ballot() == 0;
}

/* Shuffles. What a value is, is of no account: all are passed as 64 bits. */
template <class __T> RADDLE_GPU __T __raddle_gpu_exchange(int __what, unsigned __mask, __T __value, unsigned __lane, bool __stays) {
    static_assert(sizeof(__T) <= 8, "a shuffle passes numbers");
    unsigned long long __bits = 0;
    __builtin_memcpy(&__bits, &__value, sizeof __value);
    __raddle_gpu_give(__bits);
    __raddle_gpu_converge(__what, __mask);
    if (!__stays) {
        __bits = __raddle_gpu_take(__lane, __bits);
        __builtin_memcpy(&__value, &__bits, sizeof __value);
    }
    return __value;
}
#define RADDLE_GPU_SHUFFLES(__T)                                                                                       \
    RADDLE_GPU __T __shfl_sync(unsigned __mask, __T __value, int __from, int __width = warpSize) {                     \
        unsigned __lane = RADDLE_GPU_LANE, __first = __lane & ~static_cast<unsigned>(__width - 1);                     \
        return __raddle_gpu_exchange(4, __mask, __value, __first + (__from & (__width - 1)), false);                   \
    }                                                                                                                  \
    RADDLE_GPU __T __shfl_up_sync(unsigned __mask, __T __value, unsigned __by, int __width = warpSize) {               \
        unsigned __lane = RADDLE_GPU_LANE, __first = __lane & ~static_cast<unsigned>(__width - 1);                     \
        return __raddle_gpu_exchange(5, __mask, __value, __lane - __by, __lane - __first < __by);                      \
    }                                                                                                                  \
    RADDLE_GPU __T __shfl_down_sync(unsigned __mask, __T __value, unsigned __by, int __width = warpSize) {             \
        unsigned __lane = RADDLE_GPU_LANE, __last = __lane | static_cast<unsigned>(__width - 1);                       \
        return __raddle_gpu_exchange(6, __mask, __value, __lane + __by, __last - __lane < __by);                       \
    }                                                                                                                  \
    RADDLE_GPU __T __shfl_xor_sync(unsigned __mask, __T __value, int __with, int __width = warpSize) {                 \
        unsigned __lane = RADDLE_GPU_LANE, __last = __lane | static_cast<unsigned>(__width - 1);                       \
        unsigned __from = __lane ^ static_cast<unsigned>(__with);                                                      \
        return __raddle_gpu_exchange(7, __mask, __value, __from, __from > __last);                                     \
    }
RADDLE_GPU_SHUFFLES(int)
RADDLE_GPU_SHUFFLES(unsigned)
RADDLE_GPU_SHUFFLES(long)
RADDLE_GPU_SHUFFLES(unsigned long)
RADDLE_GPU_SHUFFLES(long long)
RADDLE_GPU_SHUFFLES(unsigned long long)
RADDLE_GPU_SHUFFLES(float)
RADDLE_GPU_SHUFFLES(double)
#undef RADDLE_GPU_SHUFFLES

/* Reductions and matches across a warp. */
#define RADDLE_GPU_REDUCTION(name, __T, __what, __first, __step)                                                       \
    RADDLE_GPU __T name(unsigned __mask, __T __value) {                                                                \
        __raddle_gpu_give(static_cast<unsigned long long>(__value));                                                   \
        __raddle_gpu_converge(__what, __mask);                                                                         \
        unsigned __members = __raddle_gpu_members();                                                                   \
        __T __all = __first;                                                                                           \
        for (unsigned __lane = 0; __lane < 32; ++__lane) {                                                             \
            if (__members >> __lane & 1) {                                                                             \
                __T __next = static_cast<__T>(__raddle_gpu_take(__lane, 0));                                           \
                __all = __step;                                                                                        \
            }                                                                                                          \
        }                                                                                                              \
        return __all;                                                                                                  \
    }
RADDLE_GPU_REDUCTION(__reduce_add_sync, int, 8, 0, static_cast<int>(static_cast<unsigned>(__all) + __next))
RADDLE_GPU_REDUCTION(__reduce_add_sync, unsigned, 8, 0, __all + __next)
RADDLE_GPU_REDUCTION(__reduce_min_sync, int, 9, 0x7fffffff, __next < __all ? __next : __all)
RADDLE_GPU_REDUCTION(__reduce_min_sync, unsigned, 9, 0xffffffffu, __next < __all ? __next : __all)
RADDLE_GPU_REDUCTION(__reduce_max_sync, int, 10, -0x7fffffff - 1, __next > __all ? __next : __all)
RADDLE_GPU_REDUCTION(__reduce_max_sync, unsigned, 10, 0, __next > __all ? __next : __all)
RADDLE_GPU_REDUCTION(__reduce_and_sync, unsigned, 11, 0xffffffffu, __all & __next)
RADDLE_GPU_REDUCTION(__reduce_or_sync, unsigned, 12, 0, __all | __next)
RADDLE_GPU_REDUCTION(__reduce_xor_sync, unsigned, 13, 0, __all ^ __next)
#undef RADDLE_GPU_REDUCTION
template <class __T> RADDLE_GPU unsigned __match_any_sync(unsigned __mask, __T __value) {
    unsigned long long __bits = 0;
    __builtin_memcpy(&__bits, &__value, sizeof __value);
    __raddle_gpu_give(__bits);
    __raddle_gpu_converge(14, __mask);
    unsigned __members = __raddle_gpu_members(), __alike = 0;
    for (unsigned __lane = 0; __lane < 32; ++__lane) {
        if (__members >> __lane & 1 && __raddle_gpu_take(__lane, 0) == __bits) {
            __alike |= 1u << __lane;
        }
    }
    return __alike;
}

template <class __T> RADDLE_GPU unsigned __match_all_sync(unsigned __mask, __T __value, int *__are_alike) {
    unsigned __alike = __match_any_sync(__mask, __value);
    *__are_alike = __alike == __raddle_gpu_members();
    return *__are_alike ? __alike : 0;
}

/* The same without a mask, as before Volta: the lanes that are together, which only lockstep has. */
#define __any(p) __any_sync(__activemask(), p)
#define __all(p) __all_sync(__activemask(), p)
#define __ballot(p) __ballot_sync(__activemask(), p)
#define __shfl(...) __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(__activemask(), __VA_ARGS__)

/* Atomic functions: relaxed, at the device's scope; `_block` and `_system` say otherwise (CUDA C++ Programming Guide, 'Atomic
 * Functions'). */
#define RADDLE_GPU_SCOPED(__T, name, params, call)                                                                     \
    RADDLE_GPU __T name params { return call; }                                                                        \
    RADDLE_GPU __T name##_system params { return call; }                                                               \
    RADDLE_GPU __T name##_block params {                                                                               \
        __raddle_gpu_scope(0);                                                                                         \
        __T __old = call;                                                                                              \
        __raddle_gpu_scope(1);                                                                                         \
        return __old;                                                                                                  \
    }
#define RADDLE_GPU_RMW(__T, name, builtin) RADDLE_GPU_SCOPED(__T, name, (__T *__at, __T __with), builtin(__at, __with, __ATOMIC_RELAXED))
#define RADDLE_GPU_INTEGERS(name, builtin)                                                                             \
    RADDLE_GPU_RMW(int, name, builtin)                                                                                 \
    RADDLE_GPU_RMW(unsigned, name, builtin)                                                                            \
    RADDLE_GPU_RMW(unsigned long long, name, builtin)
RADDLE_GPU_INTEGERS(atomicAdd, __atomic_fetch_add)
RADDLE_GPU_RMW(float, atomicAdd, __atomic_fetch_add)
RADDLE_GPU_RMW(double, atomicAdd, __atomic_fetch_add)
RADDLE_GPU_RMW(int, atomicSub, __atomic_fetch_sub)
RADDLE_GPU_RMW(unsigned, atomicSub, __atomic_fetch_sub)
RADDLE_GPU_INTEGERS(atomicAnd, __atomic_fetch_and)
RADDLE_GPU_INTEGERS(atomicOr, __atomic_fetch_or)
RADDLE_GPU_INTEGERS(atomicXor, __atomic_fetch_xor)
RADDLE_GPU_INTEGERS(atomicMin, __atomic_fetch_min)
RADDLE_GPU_RMW(long long, atomicMin, __atomic_fetch_min)
RADDLE_GPU_INTEGERS(atomicMax, __atomic_fetch_max)
RADDLE_GPU_RMW(long long, atomicMax, __atomic_fetch_max)
RADDLE_GPU_INTEGERS(atomicExch, __atomic_exchange_n)
#undef RADDLE_GPU_INTEGERS
#undef RADDLE_GPU_RMW

template <class __T> RADDLE_GPU __T __raddle_gpu_cas(__T *__at, __T __expected, __T __wanted) {
    __atomic_compare_exchange_n(__at, &__expected, __wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return __expected;
}
#define RADDLE_GPU_CAS(__T)                                                                                            \
    RADDLE_GPU_SCOPED(__T, atomicCAS, (__T *__at, __T __expected, __T __wanted), __raddle_gpu_cas(__at, __expected, __wanted))
RADDLE_GPU_CAS(int)
RADDLE_GPU_CAS(unsigned)
RADDLE_GPU_CAS(unsigned long long)
RADDLE_GPU_CAS(unsigned short)
#undef RADDLE_GPU_CAS

RADDLE_GPU float __raddle_gpu_exchange_float(float *__at, float __with) {
    unsigned __bits, __old;
    __builtin_memcpy(&__bits, &__with, sizeof __bits);
    __old = __atomic_exchange_n(reinterpret_cast<unsigned *>(__at), __bits, __ATOMIC_RELAXED);
    __builtin_memcpy(&__with, &__old, sizeof __with);
    return __with;
}
RADDLE_GPU_SCOPED(float, atomicExch, (float *__at, float __with), __raddle_gpu_exchange_float(__at, __with))

/* Counting round: one exchange at a time until it holds (`atomicrmw uinc_wrap` has no counterpart in C). */
RADDLE_GPU unsigned __raddle_gpu_wrap(unsigned *__at, unsigned __limit, bool __up) {
    unsigned __old = __atomic_load_n(__at, __ATOMIC_RELAXED), __next;
    do {
        __next = __up ? (__old >= __limit ? 0 : __old + 1) : (__old == 0 || __old > __limit ? __limit : __old - 1);
    } while (!__atomic_compare_exchange_n(__at, &__old, __next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return __old;
}
RADDLE_GPU_SCOPED(unsigned, atomicInc, (unsigned *__at, unsigned __limit), __raddle_gpu_wrap(__at, __limit, true))
RADDLE_GPU_SCOPED(unsigned, atomicDec, (unsigned *__at, unsigned __limit), __raddle_gpu_wrap(__at, __limit, false))
#undef RADDLE_GPU_SCOPED

/* Loads and stores with hints. */
template <class __T> RADDLE_GPU __T __ldg(const __T *__at) { return *__at; }
template <class __T> RADDLE_GPU __T __ldcg(const __T *__at) { return *__at; }
template <class __T> RADDLE_GPU __T __ldca(const __T *__at) { return *__at; }
template <class __T> RADDLE_GPU __T __ldcs(const __T *__at) { return *__at; }
template <class __T> RADDLE_GPU void __stcg(__T *__at, __T __value) { *__at = __value; }
template <class __T> RADDLE_GPU void __stcs(__T *__at, __T __value) { *__at = __value; }
template <class __T> RADDLE_GPU void __stwb(__T *__at, __T __value) { *__at = __value; }

/* Arithmetic. */
RADDLE_GPU int __popc(unsigned x) { return __builtin_popcount(x); }
RADDLE_GPU int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
RADDLE_GPU int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
RADDLE_GPU int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
RADDLE_GPU int __ffs(int x) { return x ? __builtin_ctz(static_cast<unsigned>(x)) + 1 : 0; }
RADDLE_GPU int __ffsll(long long x) { return x ? __builtin_ctzll(static_cast<unsigned long long>(x)) + 1 : 0; }
RADDLE_GPU unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
RADDLE_GPU int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
RADDLE_GPU unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
RADDLE_GPU unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
RADDLE_GPU int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
RADDLE_GPU unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
RADDLE_GPU long long __mul64hi(long long x, long long y) { return static_cast<long long>(static_cast<__int128>(x) * y >> 64); }
RADDLE_GPU unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
RADDLE_GPU unsigned __byte_perm(unsigned x, unsigned y, unsigned __which) {
    unsigned long long __both = static_cast<unsigned long long>(y) << 32 | x;
    unsigned __all = 0;
    for (unsigned i = 0; i < 4; ++i)
        __all |= static_cast<unsigned>(__both >> (__which >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return __all;
}
RADDLE_GPU unsigned __funnelshift_l(unsigned x, unsigned y, unsigned __by) {
    return static_cast<unsigned>((static_cast<unsigned long long>(y) << 32 | x) << (__by & 31) >> 32);
}
RADDLE_GPU unsigned __funnelshift_r(unsigned x, unsigned y, unsigned __by) {
    return static_cast<unsigned>((static_cast<unsigned long long>(y) << 32 | x) >> (__by & 31));
}
RADDLE_GPU unsigned __sad(int x, int y, unsigned z) {
    return z + (x < y ? static_cast<unsigned>(y) - static_cast<unsigned>(x) : static_cast<unsigned>(x) - static_cast<unsigned>(y));
}
RADDLE_GPU unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }
RADDLE_GPU int __hadd(int x, int y) { return static_cast<int>(static_cast<long long>(x) + y >> 1); }
RADDLE_GPU int __rhadd(int x, int y) { return static_cast<int>(static_cast<long long>(x) + y + 1 >> 1); }
RADDLE_GPU unsigned __uhadd(unsigned x, unsigned y) { return static_cast<unsigned>(static_cast<unsigned long long>(x) + y >> 1); }
RADDLE_GPU unsigned __urhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<unsigned long long>(x) + y + 1 >> 1);
}
RADDLE_GPU long long __double_as_longlong(double x) { long long y; __builtin_memcpy(&y, &x, 8); return y; }
RADDLE_GPU double __longlong_as_double(long long x) { double y; __builtin_memcpy(&y, &x, 8); return y; }
RADDLE_GPU double __hiloint2double(int x, int y) {
    return __longlong_as_double(static_cast<long long>(static_cast<unsigned long long>(static_cast<unsigned>(x)) << 32 |
                                                       static_cast<unsigned>(y)));
}
RADDLE_GPU int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
RADDLE_GPU int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
RADDLE_GPU unsigned __float_as_uint(float x) { unsigned y; __builtin_memcpy(&y, &x, 4); return y; }
RADDLE_GPU int __float_as_int(float x) { int y; __builtin_memcpy(&y, &x, 4); return y; }
RADDLE_GPU float __int_as_float(int x) { float y; __builtin_memcpy(&y, &x, 4); return y; }
RADDLE_GPU float __uint_as_float(unsigned x) { float y; __builtin_memcpy(&y, &x, 4); return y; }
#define RADDLE_GPU_LEAST(__T)                                                                                          \
    RADDLE_GPU_HOST __T min(__T x, __T y) { return y < x ? y : x; }                                                    \
    RADDLE_GPU_HOST __T max(__T x, __T y) { return x < y ? y : x; }
RADDLE_GPU_LEAST(int)
RADDLE_GPU_LEAST(unsigned)
RADDLE_GPU_LEAST(long)
RADDLE_GPU_LEAST(unsigned long)
RADDLE_GPU_LEAST(long long)
RADDLE_GPU_LEAST(unsigned long long)
#undef RADDLE_GPU_LEAST
#define RADDLE_GPU_LEAST(__T, __U, __V)                                                                                \
    RADDLE_GPU_HOST __V min(__T x, __U y) { return min(static_cast<__V>(x), static_cast<__V>(y)); }                    \
    RADDLE_GPU_HOST __V max(__T x, __U y) { return max(static_cast<__V>(x), static_cast<__V>(y)); }
RADDLE_GPU_LEAST(int, unsigned, unsigned)
RADDLE_GPU_LEAST(unsigned, int, unsigned)
RADDLE_GPU_LEAST(long, unsigned long, unsigned long)
RADDLE_GPU_LEAST(unsigned long, long, unsigned long)
RADDLE_GPU_LEAST(long long, unsigned long long, unsigned long long)
RADDLE_GPU_LEAST(unsigned long long, long long, unsigned long long)
RADDLE_GPU_HOST float min(float x, float y) { return __builtin_fminf(x, y); }
RADDLE_GPU_HOST float max(float x, float y) { return __builtin_fmaxf(x, y); }
RADDLE_GPU_HOST double min(double x, double y) { return __builtin_fmin(x, y); }
RADDLE_GPU_HOST double max(double x, double y) { return __builtin_fmax(x, y); }
RADDLE_GPU_LEAST(float, double, double)
RADDLE_GPU_LEAST(double, float, double)
#undef RADDLE_GPU_LEAST
/* Absolute values; of the most negative number it is the number itself, as on a device. */
RADDLE_GPU int abs(int x) { return x < 0 ? static_cast<int>(0u - static_cast<unsigned>(x)) : x; }
RADDLE_GPU long abs(long x) { return x < 0 ? static_cast<long>(0ul - static_cast<unsigned long>(x)) : x; }
RADDLE_GPU long long abs(long long x) { return x < 0 ? static_cast<long long>(0ull - static_cast<unsigned long long>(x)) : x; }
RADDLE_GPU long labs(long x) { return abs(x); }
RADDLE_GPU long long llabs(long long x) { return abs(x); }
RADDLE_GPU float abs(float x) { return __builtin_fabsf(x); }
RADDLE_GPU double abs(double x) { return __builtin_fabs(x); }
/* Floating-point functions. Those that IEEE 754 defines are exact; of the others a device's results are known to so many places
   only, so that here they return anything. */
#define RADDLE_GPU_EXACT(name)                                                                                         \
    RADDLE_GPU double name(double x) { return __builtin_##name(x); }                                                   \
    RADDLE_GPU float name##f(float x) { return __builtin_##name##f(x); }                                               \
    RADDLE_GPU float name(float x) { return __builtin_##name##f(x); }
RADDLE_GPU_EXACT(sqrt)
RADDLE_GPU_EXACT(fabs)
RADDLE_GPU_EXACT(floor)
RADDLE_GPU_EXACT(ceil)
RADDLE_GPU_EXACT(trunc)
RADDLE_GPU_EXACT(round)
RADDLE_GPU_EXACT(rint)
RADDLE_GPU_EXACT(nearbyint)
#undef RADDLE_GPU_EXACT
#define RADDLE_GPU_EXACT(name)                                                                                         \
    RADDLE_GPU double name(double x, double y) { return __builtin_##name(x, y); }                                      \
    RADDLE_GPU float name##f(float x, float y) { return __builtin_##name##f(x, y); }                                   \
    RADDLE_GPU float name(float x, float y) { return __builtin_##name##f(x, y); }
RADDLE_GPU_EXACT(fmin)
RADDLE_GPU_EXACT(fmax)
RADDLE_GPU_EXACT(copysign)
RADDLE_GPU_EXACT(fmod)
#undef RADDLE_GPU_EXACT
RADDLE_GPU double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
RADDLE_GPU float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
RADDLE_GPU float __saturatef(float x) { return !(x > 0) ? 0 : x < 1 ? x : 1; }
RADDLE_GPU float __fadd_rn(float x, float y) { return x + y; }
RADDLE_GPU float __fsub_rn(float x, float y) { return x - y; }
RADDLE_GPU float __fmul_rn(float x, float y) { return x * y; }
RADDLE_GPU float __fdiv_rn(float x, float y) { return x / y; }
RADDLE_GPU float __frcp_rn(float x) { return 1 / x; }
RADDLE_GPU float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
RADDLE_GPU float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
RADDLE_GPU double __dadd_rn(double x, double y) { return x + y; }
RADDLE_GPU double __dsub_rn(double x, double y) { return x - y; }
RADDLE_GPU double __dmul_rn(double x, double y) { return x * y; }
RADDLE_GPU double __ddiv_rn(double x, double y) { return x / y; }
RADDLE_GPU double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
RADDLE_GPU double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
RADDLE_GPU float __int2float_rn(int x) { return static_cast<float>(x); }
RADDLE_GPU float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
RADDLE_GPU double __int2double_rn(int x) { return x; }
RADDLE_GPU float __double2float_rn(double x) { return static_cast<float>(x); }
RADDLE_GPU int __float2int_rz(float x) { return static_cast<int>(x); }
RADDLE_GPU int __float2int_rn(float x) { return static_cast<int>(__builtin_rintf(x)); }
RADDLE_GPU int __float2int_rd(float x) { return static_cast<int>(__builtin_floorf(x)); }
RADDLE_GPU int __float2int_ru(float x) { return static_cast<int>(__builtin_ceilf(x)); }
RADDLE_GPU unsigned __float2uint_rz(float x) { return static_cast<unsigned>(x); }
RADDLE_GPU int __double2int_rz(double x) { return static_cast<int>(x); }
RADDLE_GPU unsigned __float2uint_rn(float x) { return static_cast<unsigned>(__builtin_rintf(x)); }
RADDLE_GPU long long __float2ll_rn(float x) { return static_cast<long long>(__builtin_rintf(x)); }
RADDLE_GPU long long __float2ll_rz(float x) { return static_cast<long long>(x); }
RADDLE_GPU int __double2int_rn(double x) { return static_cast<int>(__builtin_rint(x)); }
RADDLE_GPU long long __double2ll_rn(double x) { return static_cast<long long>(__builtin_rint(x)); }
RADDLE_GPU float __ll2float_rn(long long x) { return static_cast<float>(x); }
RADDLE_GPU double __ll2double_rn(long long x) { return static_cast<double>(x); }
RADDLE_GPU double __uint2double_rn(unsigned x) { return x; }
/* What a number is, by its bits: the same whatever the compiler takes for granted of infinities. */
RADDLE_GPU bool isnan(float x) { return (__float_as_uint(x) & 0x7fffffffu) > 0x7f800000u; }
RADDLE_GPU bool isinf(float x) { return (__float_as_uint(x) & 0x7fffffffu) == 0x7f800000u; }
RADDLE_GPU bool isfinite(float x) { return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u; }
RADDLE_GPU bool signbit(float x) { return __float_as_uint(x) >> 31; }
RADDLE_GPU bool isnan(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) > 0x7ff0000000000000ll; }
RADDLE_GPU bool isinf(double x) { return (__double_as_longlong(x) & 0x7fffffffffffffffll) == 0x7ff0000000000000ll; }
RADDLE_GPU bool isfinite(double x) { return (__double_as_longlong(x) & 0x7ff0000000000000ll) != 0x7ff0000000000000ll; }
RADDLE_GPU bool signbit(double x) { return __double_as_longlong(x) < 0; }
RADDLE_GPU float fdimf(float x, float y) { return x > y ? x - y : isnan(x) || isnan(y) ? x + y : 0; }
RADDLE_GPU double fdim(double x, double y) { return x > y ? x - y : isnan(x) || isnan(y) ? x + y : 0; }
RADDLE_GPU long lrintf(float x) { return static_cast<long>(__builtin_rintf(x)); }
RADDLE_GPU long lrint(double x) { return static_cast<long>(__builtin_rint(x)); }
RADDLE_GPU long lroundf(float x) { return static_cast<long>(__builtin_roundf(x)); }
RADDLE_GPU long lround(double x) { return static_cast<long>(__builtin_round(x)); }
#define RADDLE_GPU_APPROXIMATE(name)                                                                                   \
    RADDLE_GPU double name(double x) { return __raddle_gpu_double(#name, x, 0); }                                      \
    RADDLE_GPU float name##f(float x) { return __raddle_gpu_float(#name "f", x, 0); }                                  \
    RADDLE_GPU float name(float x) { return name##f(x); }
RADDLE_GPU_APPROXIMATE(rsqrt)
RADDLE_GPU_APPROXIMATE(cbrt)
RADDLE_GPU_APPROXIMATE(exp)
RADDLE_GPU_APPROXIMATE(exp2)
RADDLE_GPU_APPROXIMATE(exp10)
RADDLE_GPU_APPROXIMATE(expm1)
RADDLE_GPU_APPROXIMATE(log)
RADDLE_GPU_APPROXIMATE(log2)
RADDLE_GPU_APPROXIMATE(log10)
RADDLE_GPU_APPROXIMATE(log1p)
RADDLE_GPU_APPROXIMATE(sin)
RADDLE_GPU_APPROXIMATE(cos)
RADDLE_GPU_APPROXIMATE(tan)
RADDLE_GPU_APPROXIMATE(asin)
RADDLE_GPU_APPROXIMATE(acos)
RADDLE_GPU_APPROXIMATE(atan)
RADDLE_GPU_APPROXIMATE(sinh)
RADDLE_GPU_APPROXIMATE(cosh)
RADDLE_GPU_APPROXIMATE(tanh)
RADDLE_GPU_APPROXIMATE(erf)
RADDLE_GPU_APPROXIMATE(erfc)
RADDLE_GPU_APPROXIMATE(lgamma)
RADDLE_GPU_APPROXIMATE(tgamma)
#undef RADDLE_GPU_APPROXIMATE
#define RADDLE_GPU_APPROXIMATE(name)                                                                                   \
    RADDLE_GPU double name(double x, double y) { return __raddle_gpu_double(#name, x, y); }                            \
    RADDLE_GPU float name##f(float x, float y) { return __raddle_gpu_float(#name "f", x, y); }                         \
    RADDLE_GPU float name(float x, float y) { return name##f(x, y); }
RADDLE_GPU_APPROXIMATE(pow)
RADDLE_GPU_APPROXIMATE(atan2)
RADDLE_GPU_APPROXIMATE(hypot)
RADDLE_GPU double pow(float x, double y) { return pow(static_cast<double>(x), y); }
RADDLE_GPU double pow(double x, float y) { return pow(x, static_cast<double>(y)); }
RADDLE_GPU float pow(float x, int y) { return powf(x, static_cast<float>(y)); }
RADDLE_GPU double pow(double x, int y) { return pow(x, static_cast<double>(y)); }
#undef RADDLE_GPU_APPROXIMATE
RADDLE_GPU float __expf(float x) { return __raddle_gpu_float("__expf", x, 0); }
RADDLE_GPU float __exp10f(float x) { return __raddle_gpu_float("__exp10f", x, 0); }
RADDLE_GPU float __logf(float x) { return __raddle_gpu_float("__logf", x, 0); }
RADDLE_GPU float __log2f(float x) { return __raddle_gpu_float("__log2f", x, 0); }
RADDLE_GPU float __log10f(float x) { return __raddle_gpu_float("__log10f", x, 0); }
RADDLE_GPU float __sinf(float x) { return __raddle_gpu_float("__sinf", x, 0); }
RADDLE_GPU float __cosf(float x) { return __raddle_gpu_float("__cosf", x, 0); }
RADDLE_GPU float __tanf(float x) { return __raddle_gpu_float("__tanf", x, 0); }
RADDLE_GPU float __frsqrt_rn(float x) { return __raddle_gpu_float("__frsqrt_rn", x, 0); }
RADDLE_GPU float __powf(float x, float y) { return __raddle_gpu_float("__powf", x, y); }
RADDLE_GPU float __fdividef(float x, float y) { return __raddle_gpu_float("__fdividef", x, y); }
RADDLE_GPU void sincosf(float x, float *sine, float *cosine) { *sine = sinf(x); *cosine = cosf(x); }
RADDLE_GPU void sincos(double x, double *sine, double *cosine) { *sine = sin(x); *cosine = cos(x); }
RADDLE_GPU void __sincosf(float x, float *sine, float *cosine) { *sine = __sinf(x); *cosine = __cosf(x); }

RADDLE_GPU long long clock64() { return __raddle_gpu_clock(); }
RADDLE_GPU long clock() { return static_cast<long>(__raddle_gpu_clock()); }
RADDLE_GPU void __nanosleep(unsigned) {}
#define __trap() __raddle_gpu_trap()
RADDLE_GPU void __brkpt() {}
RADDLE_GPU bool __isGlobal(const void *) { return true; }

#include "raddle_cuda_host.h"

/* nvcc knows `assert` without being told. */
#if __has_include(<assert.h>)
#include <assert.h>
#endif

#endif
