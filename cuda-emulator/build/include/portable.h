// One kernel file, three compilers: nvcc or NVRTC (CUDA, the default), hipcc (HIP,
// wavefronts of 64 lanes, or of 32 from RDNA on) and a host compiler (the emulator,
// -DEMULATOR, 32 or 64 lanes). A kernel includes this header and nothing of the
// standard library, takes dynamic shared memory through SMEM_DYN, assumes no number
// of lanes but LANES, and polls memory only through load_acquire, load_relaxed or
// __nanosleep.
#pragma once

#if defined(EMULATOR)
#include "emulator.h"
#elif defined(__HIP_PLATFORM_AMD__) || defined(__HIPCC__)
// Newer versions of HIP define some of the functions below.
#define HIP_DISABLE_WARP_SYNC_BUILTINS 1
#include <hip/hip_runtime.h>
#define PORTABLE_HIP 1
// Structs that are passed by value are constant anyway.
#define __grid_constant__
#endif

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;

#define PORTABLE_INLINE static __device__ __forceinline__

// Lanes of a warp (CUDA) or wavefront (HIP), and a mask with a bit for each.
#if defined(EMULATOR)
#define LANES EMULATOR_LANES
#elif !defined(PORTABLE_HIP) || defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define LANES 32
#elif defined(__GFX9__)
#define LANES 64
#else
#error "it is not known how many lanes a wavefront of this GPU has: say so in portable.h"
#endif

#if LANES == 64
typedef u64 lanemask_t;
PORTABLE_INLINE int popc(lanemask_t mask) { return __popcll(mask); }
PORTABLE_INLINE int ffs(lanemask_t mask) { return __ffsll(mask); }
PORTABLE_INLINE int clz(lanemask_t mask) { return __clzll((long long)mask); }
#else
typedef u32 lanemask_t;
PORTABLE_INLINE int popc(lanemask_t mask) { return __popc(mask); }
PORTABLE_INLINE int ffs(lanemask_t mask) { return __ffs((int)mask); }
PORTABLE_INLINE int clz(lanemask_t mask) { return __clz((int)mask); }
#endif

#define FULL_MASK (~(lanemask_t)0)

// The lanes before `lane`.
PORTABLE_INLINE lanemask_t lanemask_lt(u32 lane) { return ((lanemask_t)1 << lane) - 1; }

// KERNEL_INSTANCE(name, Arguments, (threads, blocks), function): a kernel that can be launched by this
// name, and calls `function`, such as an instance of a template, with its single argument. Read by
// the build.
#define KERNEL_INSTANCE(name, Arguments, bounds, ...)                                                   \
    extern "C" __global__ void __launch_bounds__ bounds name(const __grid_constant__ Arguments arguments) { \
        __VA_ARGS__(arguments);                                                                         \
    }

#if !defined(EMULATOR)
// KERNEL_EXPORT(name): the kernel can be launched by this name. KERNEL_EXPORT(name,
// Interface): so can others that have the same parameters, and launchers call their
// arguments so. Read by the build.
#define KERNEL_EXPORT(...)

// KERNEL_SHARED(name, T): each block has a T in dynamic shared memory. The image contains its size.
#define KERNEL_SHARED(name, ...) extern "C" __device__ unsigned name##_shared_bytes = sizeof(__VA_ARGS__);

// `T* name`: the dynamic shared memory of the launch, aligned to 16 bytes.
#define SMEM_DYN(T, name)                                          \
    extern __shared__ __align__(16) unsigned char portable_smem[]; \
    T* name = reinterpret_cast<T*>(portable_smem)
#endif

#if defined(PORTABLE_HIP)

// A wavefront runs in lockstep, so masks are assumed to be the active lanes.
PORTABLE_INLINE void __syncwarp(lanemask_t = FULL_MASK) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
PORTABLE_INLINE lanemask_t __activemask() { return __ballot(1); }
PORTABLE_INLINE lanemask_t __ballot_sync(lanemask_t mask, int p) { return __ballot(p) & mask; }
PORTABLE_INLINE int __any_sync(lanemask_t mask, int p) { return __ballot_sync(mask, p) != 0; }
PORTABLE_INLINE int __all_sync(lanemask_t mask, int p) { return __ballot_sync(mask, !p) == 0; }

template <class T>
PORTABLE_INLINE T __shfl_sync(lanemask_t, T value, int lane, int width = LANES) {
    return __shfl(value, lane, width);
}
template <class T>
PORTABLE_INLINE T __shfl_up_sync(lanemask_t, T value, u32 distance, int width = LANES) {
    return __shfl_up(value, distance, width);
}
template <class T>
PORTABLE_INLINE T __shfl_down_sync(lanemask_t, T value, u32 distance, int width = LANES) {
    return __shfl_down(value, distance, width);
}
template <class T>
PORTABLE_INLINE T __shfl_xor_sync(lanemask_t, T value, int lanes, int width = LANES) {
    return __shfl_xor(value, lanes, width);
}

// One round for each different value.
template <class T> PORTABLE_INLINE lanemask_t __match_any_sync(lanemask_t mask, T value) {
    lanemask_t mine = 0;
    for (lanemask_t left = mask; left != 0;) {
        const bool same = __shfl(value, ffs(left) - 1) == value;
        const lanemask_t peers = __ballot(same) & mask;
        if (same) mine = peers;
        left &= ~peers;
    }
    return mine;
}

// HIP has no such hints: plain loads and stores.
template <class T> PORTABLE_INLINE T __ldcg(const T* from) { return *from; }
template <class T> PORTABLE_INLINE T __ldcs(const T* from) { return *from; }
template <class T> PORTABLE_INLINE void __stcg(T* to, T value) { *to = value; }
template <class T> PORTABLE_INLINE void __stcs(T* to, T value) { *to = value; }
PORTABLE_INLINE void __nanosleep(u32) { __builtin_amdgcn_s_sleep(1); }

#endif

// __reduce_*_sync came with sm_80 and isn't in HIP.
#if defined(PORTABLE_HIP) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800)
#define PORTABLE_REDUCE(name, T, combine)                             \
    PORTABLE_INLINE T name(lanemask_t mask, T value) {                \
        T a = __shfl_sync(mask, value, ffs(mask) - 1);                \
        for (lanemask_t left = mask & (mask - 1); left; left &= left - 1) { \
            const T b = __shfl_sync(mask, value, ffs(left) - 1);      \
            a = combine;                                              \
        }                                                             \
        return a;                                                     \
    }
PORTABLE_REDUCE(__reduce_add_sync, u32, a + b)
PORTABLE_REDUCE(__reduce_add_sync, i32, a + b)
PORTABLE_REDUCE(__reduce_min_sync, u32, a < b ? a : b)
PORTABLE_REDUCE(__reduce_min_sync, i32, a < b ? a : b)
PORTABLE_REDUCE(__reduce_max_sync, u32, a > b ? a : b)
PORTABLE_REDUCE(__reduce_max_sync, i32, a > b ? a : b)
PORTABLE_REDUCE(__reduce_and_sync, u32, a & b)
PORTABLE_REDUCE(__reduce_or_sync, u32, a | b)
PORTABLE_REDUCE(__reduce_xor_sync, u32, a ^ b)
#undef PORTABLE_REDUCE
#endif

// Flags for communication between blocks, at device scope. A load_acquire that reads the value of a
// store_release sees all writes that came before the store. load_relaxed and store_relaxed are for
// values that carry all the information themselves.
#if defined(EMULATOR)
#define PORTABLE_LOAD(order, ptx, bits, reg) return emulator_load(from, order)
#define PORTABLE_STORE(order, ptx, bits, reg) emulator_store(to, value, order)
#elif defined(PORTABLE_HIP)
#define PORTABLE_LOAD(order, ptx, bits, reg) \
    return __hip_atomic_load(from, order, __HIP_MEMORY_SCOPE_AGENT)
#define PORTABLE_STORE(order, ptx, bits, reg) \
    __hip_atomic_store(to, value, order, __HIP_MEMORY_SCOPE_AGENT)
#else
#define PORTABLE_LOAD(order, ptx, bits, reg)                                             \
    decltype(*from + 0) value;                                                            \
    asm volatile("ld." ptx ".gpu." bits " %0, [%1];" : "=" reg(value) : "l"(from) : "memory"); \
    return value
#define PORTABLE_STORE(order, ptx, bits, reg) \
    asm volatile("st." ptx ".gpu." bits " [%0], %1;" : : "l"(to), reg(value) : "memory")
#endif

#define PORTABLE_ORDERED(T, bits, reg)                                                    \
    PORTABLE_INLINE T load_acquire(const T* from) {                                       \
        PORTABLE_LOAD(__ATOMIC_ACQUIRE, "acquire", bits, reg);                            \
    }                                                                                     \
    PORTABLE_INLINE T load_relaxed(const T* from) {                                       \
        PORTABLE_LOAD(__ATOMIC_RELAXED, "relaxed", bits, reg);                            \
    }                                                                                     \
    PORTABLE_INLINE void store_release(T* to, T value) {                                  \
        PORTABLE_STORE(__ATOMIC_RELEASE, "release", bits, reg);                           \
    }                                                                                     \
    PORTABLE_INLINE void store_relaxed(T* to, T value) {                                  \
        PORTABLE_STORE(__ATOMIC_RELAXED, "relaxed", bits, reg);                           \
    }
PORTABLE_ORDERED(u32, "u32", "r")
PORTABLE_ORDERED(u64, "u64", "l")
#undef PORTABLE_ORDERED
#undef PORTABLE_LOAD
#undef PORTABLE_STORE
