// The digis of a side into order of channel and time, in shared memory: see `channel_bucket.cu`.
#pragma once
#include "shared.h"

namespace {

// Brings the digis of a bin into order.
__device__ __forceinline__ void insert_in_order(u64* digis, Range bin) {
#pragma unroll 1
    for (u32 i = bin.begin + 1; i < bin.end; i++) {
        const u64 own = digis[i];
        u32 to = i;
#pragma unroll 1
        for (; to > bin.begin && digis[to - 1] > own; to--) digis[to] = digis[to - 1];
        digis[to] = own;
    }
}

// Brings those of all bins into order. Barriers before and after.
__device__ __forceinline__ void order_bins(u32 count, Sorting& shared) {
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        const Range bin = bin_around(shared.bins, i);
        if (bin.begin == i && bin.count() > 1) insert_in_order(shared.sorted, bin);
    }
    __syncthreads();
}

// Sorts a side of which many digis have nearly the same time: in device memory, from which they are
// read again.
__device__ __forceinline__ void sort_crowded(u64* digis, u32 count, Shared& shared) {
    sort_overfull(digis, digis, count, shared.overfull);
    count_channels(digis, count, shared.sorting);
    for_each_word<THREADS>(digis, count, [&](u32 i, u64 digi) { shared.sorting.sorted[i] = time_first(digi); });
    __syncthreads();
}

// Sorts the digis of a side into shared memory. A barrier after.
__device__ __forceinline__ void sort_side(u64* digis, u32 count, Shared& shared) {
    const Times times = count_channels(digis, count, shared.sorting);
    const auto channel = [](u64 digi) { return digi_channel(digi); };
    if (bring_to_bins(digis, count, channel, times, shared.sorting)) {
        order_bins(count, shared.sorting);
    } else {
        sort_crowded(digis, count, shared);
    }
}

}  // namespace
