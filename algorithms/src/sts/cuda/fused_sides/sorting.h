// The digis of a side into order of channel and time, in shared memory: see `channel_bucket.cu`.
#pragma once
#include "shared.h"

namespace {

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
    if (!sort_in_shared(digis, count, channel, times, shared.sorting)) sort_crowded(digis, count, shared);
}

}  // namespace
