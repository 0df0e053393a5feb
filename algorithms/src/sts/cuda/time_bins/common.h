// Code shared by the steps of time-bins.
#pragma once
#include "../formulas/records.h"
#include "block_scan.h"

// Parameter types of kernels. A kernel whose parameters are of types without linkage has none
// itself, and NVRTC generates a different name for it each time.
namespace time_bins {

// A part of the clusters of a side, as the host lists them: by where clusters of the side begin.
struct Part {
    u32 side, first;
};

// Range of the entries of a group that does not fit into shared memory, among all entries.
struct OverfullBin {
    u32 begin, end;
};

// Some of them, in any order.
struct OverfullBins {
    u32 count;
    OverfullBin ranges[1];
};

namespace {

constexpr u32 FEW_THREADS = 512;
constexpr u32 MANY_THREADS = 1024;
// Entries of a thread that are sorted at once in shared memory.
constexpr u32 ITEMS = 8;
// Entries of a block.
constexpr u32 FEW = ITEMS * FEW_THREADS;
constexpr u32 MANY = ITEMS * MANY_THREADS;

// Sort key of an entry; no two are equal.
__device__ __forceinline__ u64 key_of(const Entry& entry) { return (u64)entry.time << 32 | entry.index; }
__device__ __forceinline__ u32 time_of(u64 key) { return (u32)(key >> 32); }
__device__ __forceinline__ Entry entry_of(u64 key) { return {time_of(key), (u32)key}; }

// The first and the last time of some entries.
struct Extent {
    u32 first = ~0u, last = 0;

    __device__ __forceinline__ void include(u32 time) {
        first = min(first, time);
        last = max(last, time);
    }

    // To two words in memory that have all bits set at the start: the first time, and
    // the complement of the last. All lanes take part.
    __device__ __forceinline__ void include_in(u32* words) const {
        const u32 first_of_warp = warp_min(first), last_of_warp = warp_max(last);
        if (threadIdx.x % LANES != 0) return;
        atomicMin(&words[0], first_of_warp);
        atomicMin(&words[1], ~last_of_warp);
    }
};

// Times to bins of equal lengths.
class Scale {
    u32 first, factor;  // in units of 2^-32 bins

  public:
    // Rounding must not lead beyond the last bin. If the range of times is smaller than the number
    // of bins, the largest factor gives each time a bin, or nearly so.
    __device__ __forceinline__ Scale(const u32* extent, u32 bins) : first(extent[0]) {
        constexpr float DOWN = 1.0f - 1.0f / (1 << 20);
        constexpr float MAX_COUNT = 4294967040.0f;  // the largest that fits into 32 bits
        const float times = (float)(~extent[1] - first) + 1.0f;
        factor = (u32)min((float)bins * 4294967296.0f * DOWN / times, MAX_COUNT);
    }

    __device__ __forceinline__ u32 operator()(u32 time) const { return (u32)((u64)(time - first) * factor >> 32); }
};

}  // namespace
}  // namespace time_bins
