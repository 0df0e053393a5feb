// CUDA C++ for a host compiler: included by kernel files instead of CUDA's headers.
//
// Every function here is inlined into the kernel. Functions that need other threads (barriers, warp
// collectives, spinning) call the runtime, which runs other threads until the result is known.
// Kernels compiled with EMULATOR_CHECKED announce all of their memory accesses to the runtime: see
// runtime.cpp.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <type_traits>

#include "runtime.h"

// Never inlined into its callers.
#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __constant__ static const
// One OS thread runs one block at a time.
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) alignas(bytes)
#define __restrict__ __restrict

#define EMULATOR_INLINE static inline __attribute__((always_inline))
#define SMEM_DYN(T, name) T* name = static_cast<T*>(emulator_thread->block->dynamic_shared)
// The build script looks for these lines.
#define KERNEL_EXPORT(...)
#define KERNEL_SHARED(name, ...) constexpr uint32_t name##_shared_bytes = sizeof(__VA_ARGS__);

#define threadIdx (emulator_thread->index)
#define blockIdx (emulator_thread->block->index)
#define blockDim (emulator_thread->block->block_dim)
#define gridDim (emulator_thread->block->grid_dim)
#define warpSize EMULATOR_LANES

struct dim3 {
    unsigned x, y, z;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) ulonglong2 {
    unsigned long long x, y;
};
EMULATOR_INLINE uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
EMULATOR_INLINE uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}
EMULATOR_INLINE ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) {
    return {x, y};
}

#include "collectives.h"
#include "memory.h"
#include "numbers.h"
