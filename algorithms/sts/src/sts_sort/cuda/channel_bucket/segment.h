// Segments, groups of buckets, and crowded ranges, sorted in shared memory.
#pragma once
#include "radix_rank.h"
#include "scan.h"
#include "sorting.h"

namespace {

// A segment that fits into shared memory.

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
template <class Sort>
__device__ __forceinline__ Times count_channels(const u64* digis, u32 count, Sorting<Sort>& shared) {
    constexpr u32 THREADS = Sort::THREADS;
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

// Sorts segments in place, except those of which many digis have nearly the same time: these are
// listed. A block per segment.
template <class Sort> __device__ __forceinline__ void sort_segments(const SortSegments& all) {
    SMEM_DYN(Sorting<Sort>, shared);
    const Range range = all.segments[blockIdx.x];
    const Times times = count_channels(all.digis + range.begin, range.count(), *shared);
    const auto channel = [](u64 digi) { return digi_channel(digi); };
    if (!sort_buckets(all.digis, all.digis, range, channel, times, *shared))
        list(all.crowded, range);
}

// Sorting a group of buckets of a region.

// The buckets of a group: where they begin, and where the last one ends.
struct BucketsOfGroup {
    const u32* bucket_offsets;
    u32 count;

    __device__ __forceinline__ BucketsOfGroup(const u32* bucket_offsets, const Group& group)
        : bucket_offsets(bucket_offsets + group.region * (BUCKETS + 1) + group.first_bucket), count(group.buckets) {}

    __device__ __forceinline__ Range range() const { return {bucket_offsets[0], bucket_offsets[count]}; }
};

// Sorts a group, or lists it if it does not fit into shared memory. Returns false where many digis have
// nearly the same time: then nothing is done.
template <class Sort, class BucketOf>
__device__ __forceinline__ bool sort_group(const GroupSort& all, const BucketsOfGroup& buckets, BucketOf bucket_of,
                                           const Times& times, Sorting<Sort>& shared) {
    const Range range = buckets.range();
    if (range.count() == 0) return true;
    if (range.count() > Sort::CAPACITY) {
        list(all.oversized, range);
        return true;
    }
    clear_bins(shared.bins);
    for (u32 i = threadIdx.x; i < buckets.count; i += Sort::THREADS) {
        const u32 begin = buckets.bucket_offsets[i];
        shared.buckets[i] = times.bins(begin - range.begin, buckets.bucket_offsets[i + 1] - begin);
    }
    __syncthreads();
    return sort_buckets(all.from, all.to, range, bucket_of, times, shared);
}

// Sorts the block's group, if it has one, or lists it as crowded. `sort` returns true if it sorted
// the group.
template <class SortOne> __device__ __forceinline__ void sort_block_group(const GroupSort& all, SortOne sort) {
    if (blockIdx.x >= *all.group_count) return;
    const Group group = all.groups[blockIdx.x];
    // Read once more: registers are scarce.
    if (!sort(group)) list(all.crowded, BucketsOfGroup(all.bucket_offsets, all.groups[blockIdx.x]).range());
}

// Sorts groups of channels. A block per group; there may be more blocks.
template <class Sort> __device__ __forceinline__ void sort_channels(const SortGroups& arguments) {
    SMEM_DYN(Sorting<Sort>, shared);
    const GroupSort& all = arguments.all;
    sort_block_group(all, [&](const Group& group) {
        const u32* extent = &arguments.extents[2 * group.region];
        const Times times(ALL_TIME_BITS, extent[0], ~extent[1]);
        const auto channel = [&](u64 digi) { return digi_channel(digi) - group.first_bucket; };
        return sort_group(all, {all.bucket_offsets, group}, channel, times, *shared);
    });
}

// Sorts groups of buckets that are determined by bits of the time, from bit `shift` on. All digis
// of a region have the same channel, and the same bits above. A block per group; there may be more
// blocks.
template <class Sort> __device__ __forceinline__ void sort_times(const SortTimes& arguments) {
    SMEM_DYN(Sorting<Sort>, shared);
    const GroupSort& all = arguments.all;
    sort_block_group(all, [&](const Group& group) {
        const u32 bits_below = (1u << arguments.digit.shift) - 1;
        const Times times(bits_below, 0, bits_below);
        const auto bucket = [&](u64 digi) { return arguments.digit(digi) - group.first_bucket; };
        return sort_group(all, {all.bucket_offsets, group}, bucket, times, *shared);
    });
}

// Sorting digis of which many have nearly the same time, so that bins don't
// help: by radix, in shared memory.

constexpr u32 OVERFULL_DIGIT_BITS = 8;

template <class Sort> struct Overfull {
    using Rank = RadixRank<Sort::THREADS, SORTED_ITEMS, OVERFULL_DIGIT_BITS>;

    u64 items[Sort::CAPACITY];  // digis with their bits in the order of comparison
    typename Rank::Shared rank;
    u32 differing[2];  // bits that differ between items, low word first
};

// Mask of the bits that differ between items. Barriers before and after.
template <class Sort> __device__ __forceinline__ u64 differing_bits(u32 count, Overfull<Sort>& shared) {
    if (threadIdx.x < 2) shared.differing[threadIdx.x] = 0;
    __syncthreads();
    u64 differing = 0;
    for (u32 i = threadIdx.x; i < count; i += Sort::THREADS) differing |= shared.items[i] ^ shared.items[0];
    if ((u32)differing) atomicOr(&shared.differing[0], (u32)differing);
    if (differing >> 32) atomicOr(&shared.differing[1], (u32)(differing >> 32));
    __syncthreads();
    return (u64)shared.differing[1] << 32 | shared.differing[0];
}

// Brings items into a stable order by a digit. Barriers before and after.
template <class Sort> __device__ __forceinline__ void sort_by_digit(u32 count, u32 shift, Overfull<Sort>& shared) {
    using Rank = typename Overfull<Sort>::Rank;
    constexpr u32 LAST_DIGIT = (1u << OVERFULL_DIGIT_BITS) - 1;
    u64 items[SORTED_ITEMS];
    u32 ranks[SORTED_ITEMS];
#pragma unroll
    for (u32 i = 0; i < SORTED_ITEMS; i++) {
        const u32 at = Rank::position(i);
        items[i] = at < count ? shared.items[at] : ~0ull;
    }
    const auto digit = [&](u32 i) { return (u32)(items[i] >> shift) & LAST_DIGIT; };
    Rank::rank(digit, Rank::has_items(count), ranks, shared.rank, nullptr);
    __syncthreads();
    if (Rank::has_items(count)) {
#pragma unroll
        for (u32 i = 0; i < SORTED_ITEMS; i++)
            if (Rank::position(i) < count) shared.items[ranks[i]] = items[i];
    }
    __syncthreads();
}

// Sorts by the bits of the key, or by all bits, so that the result is deterministic. Barriers
// before and after.
template <class Sort>
__device__ __forceinline__ void sort_overfull(const u64* from, u64* to, u32 count, Overfull<Sort>& shared) {
    for_each_word<Sort::THREADS>(from, count, [&](u32 i, u64 digi) { shared.items[i] = ordered_from_digi(digi); });
    __syncthreads();
    const u64 differing = differing_bits(count, shared);
    for (u32 shift = Sort::KEEPS_ARRIVAL ? 64 - KEY_BITS : 0; shift < 64; shift += OVERFULL_DIGIT_BITS) {
        if (differing >> shift & ((1u << OVERFULL_DIGIT_BITS) - 1)) sort_by_digit(count, shift, shared);
    }
    write_each_word<Sort::THREADS>(to, count, [&](u32 i) { return digi_from_ordered(shared.items[i]); });
    __syncthreads();
}

// Sorts what others found too crowded: see `sort_buckets`. Any number of blocks.
template <class Sort> __device__ __forceinline__ void sort_all_overfull(const SortCrowded& all) {
    SMEM_DYN(Overfull<Sort>, shared);
    for (u32 i = blockIdx.x; i < all.crowded->count; i += gridDim.x) {
        const Range range = all.crowded->ranges[i];
        sort_overfull(all.from + range.begin, all.to + range.begin, range.count(), *shared);
    }
}

}  // namespace
