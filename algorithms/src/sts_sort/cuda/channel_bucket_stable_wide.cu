// Kernels of `channel_bucket_wide.cu`, with digis of the same key in the order in which they
// arrived.
#include "portable.h"

namespace {

// Configuration of the headers below: blocks that have a multiprocessor to themselves.
constexpr u32 THREADS = 1024;
// Digis of a thread that are sorted at once in shared memory: 128 KiB for a block.
constexpr u32 SORTED_ITEMS = 16;
constexpr u32 CAPACITY = THREADS * SORTED_ITEMS;
// A multiprocessor has shared memory for one.
constexpr u32 BLOCKS = 1;
// Digis with the same key keep the order in which they arrived.
constexpr bool KEEPS_ARRIVAL = true;

}  // namespace

#include "channel_bucket/segment.h"

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    channel_bucket_wide_stable(u64* digis, const Range* segments, RangeList* crowded) {
    SMEM_DYN(Sorting, shared);
    sort_segment(digis, segments, crowded, *shared);
}
KERNEL_EXPORT(channel_bucket_wide_stable, SortSegments)
KERNEL_SHARED(channel_bucket_wide_stable, Sorting)

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    channel_bucket_sort_wide_stable(const u64* from, u64* to, const u32* bucket_offsets, const Group* groups,
                                    const u32* group_count, const u32* extents, RangeList* oversized,
                                    RangeList* crowded) {
    SMEM_DYN(Sorting, shared_memory);
    sort_block_group(bucket_offsets, groups, group_count, crowded, [&](const Group& group) {
        return sort_channels(from, to, bucket_offsets, group, extents, oversized, *shared_memory);
    });
}
KERNEL_EXPORT(channel_bucket_sort_wide_stable, SortGroups)
KERNEL_SHARED(channel_bucket_sort_wide_stable, Sorting)

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    channel_bucket_overfull_wide_stable(const u64* from, u64* to, const RangeList* crowded) {
    SMEM_DYN(Overfull, shared_memory);
    sort_all_overfull(from, to, crowded, *shared_memory);
}
KERNEL_EXPORT(channel_bucket_overfull_wide_stable, SortCrowded)
KERNEL_SHARED(channel_bucket_overfull_wide_stable, Overfull)
