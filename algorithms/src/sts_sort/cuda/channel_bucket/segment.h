// A segment that fits into shared memory.
#pragma once
#include "block_scan.h"
#include "sorting.h"

namespace {

constexpr u32 ALL_TIME_BITS = (1u << TIME_BITS) - 1;

// The first and the last time of some digis.
struct Extent {
    u32 first = ~0u, last = 0;

    __device__ __forceinline__ void include(u64 digi) {
        first = min(first, digi_time(digi));
        last = max(last, digi_time(digi));
    }

    // To two words in memory that have all bits set at the start: the first
    // time, and the complement of the last.
    __device__ __forceinline__ void include_in(u32* words) const {
        const u32 first_of_warp = warp_min(first), last_of_warp = warp_max(last);
        if (threadIdx.x % LANES != 0) return;
        atomicMin(&words[0], first_of_warp);
        atomicMin(&words[1], ~last_of_warp);
    }
};

// Counts the digis of each channel of a segment: `shared.buckets` gets the bins of channels, and all bins are
// clear. A barrier after.
__device__ __forceinline__ Times count_channels(const u64* digis, u32 count, Sorting& shared) {
    __shared__ u32 extent[2];
    __shared__ u32 warp_sums[LANES];
    // Until there are digis to sort.
    u32* starts = reinterpret_cast<u32*>(shared.sorted);
    if (threadIdx.x < 2) extent[threadIdx.x] = ~0u;
    clear<THREADS>(starts, BUCKETS);
    clear_bins(shared.bins);
    __syncthreads();
    Extent thread_extent;
    for_each_word<THREADS>(digis, count, [&](u32, u64 digi) {
        atomicAdd(&starts[digi_channel(digi)], 1u);
        thread_extent.include(digi);
    });
    thread_extent.include_in(extent);
    block_exclusive_sums<THREADS, BUCKETS>(starts, warp_sums);
    const Times times(ALL_TIME_BITS, extent[0], ~extent[1]);
    for (u32 i = threadIdx.x; i < BUCKETS; i += THREADS) {
        const u32 end = i + 1 < BUCKETS ? starts[i + 1] : count;
        shared.buckets[i] = times.bins(starts[i], end - starts[i]);
    }
    __syncthreads();
    return times;
}

// Sorts the block's segment in place. If many digis have nearly the same time it is only listed.
__device__ __forceinline__ void sort_segment(u64* digis, const Range* segments, RangeList* crowded,
                                             Sorting& shared) {
    const Range range = segments[blockIdx.x];
    const Times times = count_channels(digis + range.begin, range.count(), shared);
    const auto channel = [](u64 digi) { return digi_channel(digi); };
    // Read once more: registers are scarce.
    if (!sort_buckets(digis, digis, segments[blockIdx.x], channel, times, shared))
        list(crowded, segments[blockIdx.x]);
}

}  // namespace
