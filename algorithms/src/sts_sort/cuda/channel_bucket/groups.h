// Sorting a group of buckets of a region.
#pragma once
#include "segment.h"

namespace {

// The buckets of a group: where they begin, and where the last one ends.
struct BucketsOfGroup {
    const u32* bucket_offsets;
    u32 count;

    // Buckets of a group; `bucket_offsets` has BUCKETS + 1 words per region.
    __device__ __forceinline__ BucketsOfGroup(const u32* bucket_offsets, const Group& group)
        : bucket_offsets(bucket_offsets + group.region * (BUCKETS + 1) + group.first_bucket), count(group.buckets) {}

    __device__ __forceinline__ Range range() const { return {bucket_offsets[0], bucket_offsets[count]}; }
};

// Sorts a group, or lists it if it does not fit into shared memory. Returns false where many digis have
// nearly the same time: then nothing is done.
template <class BucketOf>
__device__ __forceinline__ bool sort_group(const u64* from, u64* to, const BucketsOfGroup& buckets,
                                           BucketOf bucket_of, const Times& times, RangeList* oversized,
                                           Sorting& shared) {
    const Range range = buckets.range();
    if (range.count() == 0) return true;
    if (range.count() > CAPACITY) {
        list(oversized, range);
        return true;
    }
    clear_bins(shared.bins);
    for (u32 i = threadIdx.x; i < buckets.count; i += THREADS) {
        const u32 begin = buckets.bucket_offsets[i];
        shared.buckets[i] = times.bins(begin - range.begin, buckets.bucket_offsets[i + 1] - begin);
    }
    __syncthreads();
    return sort_buckets(from, to, range, bucket_of, times, shared);
}

// Sorts a group whose buckets are channels. `extents` has two words per region: see `Extent`.
__device__ __forceinline__ bool sort_channels(const u64* from, u64* to, const u32* bucket_offsets, const Group& group,
                                              const u32* extents, RangeList* oversized, Sorting& shared) {
    const u32* extent = &extents[2 * group.region];
    const Times times(ALL_TIME_BITS, extent[0], ~extent[1]);
    const auto channel = [&](u64 digi) { return digi_channel(digi) - group.first_bucket; };
    return sort_group(from, to, {bucket_offsets, group}, channel, times, oversized, shared);
}

// Sorts a group whose buckets are determined by bits of the time.
__device__ __forceinline__ bool sort_times(const u64* from, u64* to, const u32* bucket_offsets, const Group& group,
                                           Digit digit, RangeList* oversized, Sorting& shared) {
    const u32 bits_below = (1u << digit.shift) - 1;
    const Times times(bits_below, 0, bits_below);
    const auto bucket = [&](u64 digi) { return digit(digi) - group.first_bucket; };
    return sort_group(from, to, {bucket_offsets, group}, bucket, times, oversized, shared);
}

// Sorts the block's group, if it has one, or lists it as crowded. `sort` returns true if it sorted
// the group.
template <class Sort>
__device__ __forceinline__ void sort_block_group(const u32* bucket_offsets, const Group* groups, const u32* group_count,
                                                 RangeList* crowded, Sort sort) {
    if (blockIdx.x >= *group_count) return;
    const Group group = groups[blockIdx.x];
    // Read once more: registers are scarce.
    if (!sort(group)) list(crowded, BucketsOfGroup(bucket_offsets, groups[blockIdx.x]).range());
}

}  // namespace
