// Kernels that measure memory: copy and triad, as in STREAM (McCalpin 1995), and an empty kernel
// for the cost of a launch.
//
// A block processes a tile. Each thread issues all its loads before its first store, so that few
// threads keep many bytes in flight.
#include "portable.h"

struct __align__(16) Pair {
    double x, y;
};

namespace {

constexpr u32 THREADS = 256;
constexpr u32 ITEMS = 4;
constexpr u32 TILE = THREADS * ITEMS;

// Calls `load(i, at)` and then `store(i, at)` for each of the thread's items of the block's tile
// with an index `at` below `count`.
template <class Load, class Store>
__device__ __forceinline__ void for_tile(u32 count, Load load, Store store) {
    const u32 first = blockIdx.x * TILE + threadIdx.x;
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (first + i * THREADS < count) load(i, first + i * THREADS);
    }
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (first + i * THREADS < count) store(i, first + i * THREADS);
    }
}

}  // namespace

// to[i] = from[i], for `pairs` pairs of words. Either may be host memory.
extern "C" __global__ void __launch_bounds__(THREADS)
    ceiling_copy(ulonglong2* to, const ulonglong2* from, u32 pairs) {
    ulonglong2 held[ITEMS];
    for_tile(pairs, [&](u32 i, u32 at) { held[i] = from[at]; }, [&](u32 i, u32 at) { to[at] = held[i]; });
}
KERNEL_EXPORT(ceiling_copy)

// to[i] = left[i] + 3 * right[i], for `pairs` pairs of numbers.
extern "C" __global__ void __launch_bounds__(THREADS)
    ceiling_triad(Pair* to, const Pair* left, const Pair* right, u32 pairs) {
    Pair a[ITEMS], b[ITEMS];
    const auto load = [&](u32 i, u32 at) {
        a[i] = left[at];
        b[i] = right[at];
    };
    const auto store = [&](u32 i, u32 at) {
        Pair sum;
        sum.x = a[i].x + 3.0 * b[i].x;
        sum.y = a[i].y + 3.0 * b[i].y;
        to[at] = sum;
    };
    for_tile(pairs, load, store);
}
KERNEL_EXPORT(ceiling_triad)

// Empty; a launch must have a parameter.
extern "C" __global__ void __launch_bounds__(32) ceiling_nothing(u32 nothing) { (void)nothing; }
KERNEL_EXPORT(ceiling_nothing)
