// Sorting by distribution, by blocks that have nearly all shared memory of a multiprocessor, and so
// take twice the digis that those in `channel_bucket.cu` take.
//
// Segments that fit are read twice and written once, and not moved to groups before. Regions whose
// groups would be written in short runs, because they are many, have half the number of groups.
#include "portable.h"

namespace {

// Configuration of the headers below: blocks that have a multiprocessor to themselves.
constexpr u32 THREADS = 1024;
// Digis of a thread that are sorted at once in shared memory: 128 KiB for a block.
constexpr u32 SORTED_ITEMS = 16;
constexpr u32 CAPACITY = THREADS * SORTED_ITEMS;
// A multiprocessor has shared memory for one.
constexpr u32 BLOCKS = 1;
// Digis with the same key come in the order of their other bits, so that the result is deterministic.
constexpr bool KEEPS_ARRIVAL = false;

}  // namespace

#include "channel_bucket/segment.h"

// Sorts such segments in place, except those of which many digis have nearly the same time: these
// are listed. A block per segment.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    channel_bucket_wide(u64* digis, const Range* segments, RangeList* crowded) {
    SMEM_DYN(Sorting, shared);
    sort_segment(digis, segments, crowded, *shared);
}
KERNEL_EXPORT(channel_bucket_wide, SortSegments)
KERNEL_SHARED(channel_bucket_wide, Sorting)

// Sorts groups of channels as `channel_bucket_sort` does. A block per group; there may be more blocks.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    channel_bucket_sort_wide(const u64* from, u64* to, const u32* bucket_offsets, const Group* groups,
                             const u32* group_count, const u32* extents, RangeList* oversized, RangeList* crowded) {
    SMEM_DYN(Sorting, shared_memory);
    sort_block_group(bucket_offsets, groups, group_count, crowded, [&](const Group& group) {
        return sort_channels(from, to, bucket_offsets, group, extents, oversized, *shared_memory);
    });
}
KERNEL_EXPORT(channel_bucket_sort_wide, SortGroups)
KERNEL_SHARED(channel_bucket_sort_wide, Sorting)

// Sorts what these list, as `channel_bucket_overfull` does.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    channel_bucket_overfull_wide(const u64* from, u64* to, const RangeList* crowded) {
    SMEM_DYN(Overfull, shared_memory);
    sort_all_overfull(from, to, crowded, *shared_memory);
}
KERNEL_EXPORT(channel_bucket_overfull_wide, SortCrowded)
KERNEL_SHARED(channel_bucket_overfull_wide, Overfull)
