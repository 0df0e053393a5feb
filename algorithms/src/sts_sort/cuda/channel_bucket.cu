// Sorting by distribution: digis go to the bucket of their channel, and groups of buckets that fit
// are sorted in shared memory.
//
// The reason: a radix sort moves all digis through device memory once for each of its digits. Here
// they move twice, however long the key is: once to their buckets and once through shared memory.
// There, times are nearly uniform within a bucket, so time scaled to the bucket length is a good
// first estimate of the rank: digis are counted into bins, two for each digi, and the
// few that share one are sorted by a thread. If many share one, for example because all times are
// equal, a radix sort in shared memory takes over.
//
// A segment that fits into shared memory is sorted at once; one of up to twice that size by a block
// with a multiprocessor to itself, if there is enough shared memory: see `channel_bucket_wide.cu`.
// A larger one is a region: its buckets are counted, groups are formed that fill shared memory,
// digis are moved to their groups, in long runs, as groups are few, and each group is sorted. A
// bucket that does not fit, for example because all digis have the same channel, is a region once
// more: its buckets are determined by the upper bits of the time, then by the next ones.
//
// Dynamic shared memory: see `Distribution`, `Sorting` and `Overfull`.
#include "channel_bucket/block.h"
#include "channel_bucket/by_all_bits.h"
#include "channel_bucket/overfull.h"
#include "channel_bucket/distribution.h"
#include "channel_bucket/grouping.h"
#include "channel_bucket/groups.h"
#include "channel_bucket/segment.h"

// Sorts segments that fit into shared memory, in place. A block per segment.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_small(u64* digis, const Range* segments, RangeList* crowded) {
    SMEM_DYN(Sorting, shared);
    sort_segment(digis, segments, crowded, *shared);
}
KERNEL_EXPORT(channel_bucket_small, SortSegments)
KERNEL_SHARED(channel_bucket_small, Sorting)

// Counts the digis of each region's buckets, and finds its first and last time.
// `counts` has BUCKETS words per region, zero at the start; `extents` two words:
// see `Extent`. A block per part of a region.
extern "C" __global__ void __launch_bounds__(THREADS)
    channel_bucket_count(const u64* digis, const Range* parts, const u32* region_of_part, u32* counts, u32* extents,
                         u32 shift, u32 bits) {
    __shared__ u32 block_counts[BUCKETS];
    const Range range = parts[blockIdx.x];
    const u32 region = region_of_part[blockIdx.x];
    const Digit digit = {shift, bits};
    Extent extent;
    clear<THREADS>(block_counts, BUCKETS);
    __syncthreads();
    for_each_word<THREADS>(digis + range.begin, range.count(), [&](u32, u64 digi) {
        atomicAdd(&block_counts[digit(digi)], 1u);
        extent.include(digi);
    });
    __syncthreads();
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += THREADS)
        if (block_counts[bucket]) atomicAdd(&counts[region * BUCKETS + bucket], block_counts[bucket]);
    extent.include_in(&extents[2 * region]);
}
KERNEL_EXPORT(channel_bucket_count)

// Makes groups of each region's buckets, of at most `capacity` digis or of one bucket. Writes the
// offsets of buckets, and the end of the last one, to `bucket_offsets`: BUCKETS + 1 words per
// region; the group of each bucket, counted from the region's `first_groups`, to `group_of`; and
// the offsets of groups to `next_offsets`. `group_count`, zero at the start, is that of all
// regions. A block per region.
extern "C" __global__ void __launch_bounds__(GROUPING_THREADS)
    channel_bucket_group(const Range* regions, const u32* counts, u32* bucket_offsets, u16* group_of, u32* first_groups,
                         Group* groups, u32* next_offsets, u32* group_count, u32 capacity) {
    __shared__ Grouping shared;
    const u32 region = blockIdx.x;
    const Range range = regions[region];
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += GROUPING_THREADS)
        shared.starts[bucket] = counts[region * BUCKETS + bucket];
    block_exclusive_sums<GROUPING_THREADS, BUCKETS>(shared.starts, shared.warp_sums);
    if (threadIdx.x == 0) shared.starts[BUCKETS] = range.count();
    __syncthreads();
    mark_groups(shared, capacity);
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += GROUPING_THREADS)
        shared.numbers[bucket] = shared.is_first[bucket];
    const u32 count = block_exclusive_sums<GROUPING_THREADS, BUCKETS>(shared.numbers, shared.warp_sums);
    if (threadIdx.x == 0) first_groups[region] = shared.first_group = atomicAdd(group_count, count);
    __syncthreads();
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += GROUPING_THREADS) {
        const u32 begin = range.begin + shared.starts[bucket];
        bucket_offsets[region * (BUCKETS + 1) + bucket] = begin;
        const u32 group_in_region = shared.numbers[bucket] + shared.is_first[bucket] - 1;
        group_of[region * BUCKETS + bucket] = (u16)group_in_region;
        if (!shared.is_first[bucket]) continue;
        const u32 group = shared.first_group + group_in_region;
        groups[group] = {region, bucket, end_of_group(shared.starts, bucket, capacity) - bucket};
        next_offsets[group] = begin;
    }
    if (threadIdx.x == 0) bucket_offsets[region * (BUCKETS + 1) + BUCKETS] = range.end;
}
KERNEL_EXPORT(channel_bucket_group)

// Moves the digis of each part to the offsets of their groups in `next_offsets`. A block per part
// of a region.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_distribute(const u64* from, u64* to, const Range* parts, const u32* region_of_part,
                              const u16* group_of, const u32* first_groups, u32* next_offsets, u32 shift, u32 bits) {
    SMEM_DYN(Distribution, shared_memory);
    Distribution& shared = *shared_memory;
    const Range range = parts[blockIdx.x];
    const u32 region = region_of_part[blockIdx.x];
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += THREADS)
        shared.group_of[bucket] = group_of[region * BUCKETS + bucket];
    u32* region_offsets = next_offsets + first_groups[region];
    for (u32 begin = range.begin; begin < range.end; begin += min(DISTRIBUTED_STEP, range.end - begin)) {
        const Range tile = {begin, begin + min(DISTRIBUTED_STEP, range.end - begin)};
        distribute_tile(from, to, tile, {shift, bits}, region_offsets, shared);
    }
}
KERNEL_EXPORT(channel_bucket_distribute)
KERNEL_SHARED(channel_bucket_distribute, Distribution)

// Sorts groups of channels. A block per group; there may be more blocks.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_sort(const u64* from, u64* to, const u32* bucket_offsets, const Group* groups,
                        const u32* group_count, const u32* extents, RangeList* oversized, RangeList* crowded) {
    SMEM_DYN(Sorting, shared_memory);
    sort_block_group(bucket_offsets, groups, group_count, crowded, [&](const Group& group) {
        return sort_channels(from, to, bucket_offsets, group, extents, oversized, *shared_memory);
    });
}
KERNEL_EXPORT(channel_bucket_sort, SortGroups)
KERNEL_SHARED(channel_bucket_sort, Sorting)

// Sorts groups of buckets that are determined by bits of the time, from bit `shift` on. All digis
// of a region have the same channel, and the same bits above. A block per group; there may be more
// blocks.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_sort_times(const u64* from, u64* to, const u32* bucket_offsets, const Group* groups,
                              const u32* group_count, u32 shift, u32 bits, RangeList* oversized, RangeList* crowded) {
    SMEM_DYN(Sorting, shared_memory);
    sort_block_group(bucket_offsets, groups, group_count, crowded, [&](const Group& group) {
        return sort_times(from, to, bucket_offsets, group, {shift, bits}, oversized, *shared_memory);
    });
}
KERNEL_EXPORT(channel_bucket_sort_times, SortTimes)
KERNEL_SHARED(channel_bucket_sort_times, Sorting)

// Sorts what others found too crowded. Any number of blocks.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    channel_bucket_overfull(const u64* from, u64* to, const RangeList* crowded) {
    SMEM_DYN(Overfull, shared_memory);
    sort_all_overfull(from, to, crowded, *shared_memory);
}
KERNEL_EXPORT(channel_bucket_overfull, SortCrowded)
KERNEL_SHARED(channel_bucket_overfull, Overfull)
