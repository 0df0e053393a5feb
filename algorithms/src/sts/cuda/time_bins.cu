// Sorts the clusters of each side by bins of time: entries of 8 bytes are sorted, not clusters.
//
// A block takes the clusters of a side that fits into shared memory. Their times are counted into
// bins, one for each cluster at most; entries go to their bins, and each entry counts the
// earlier ones of its bin. So a cluster is read once, and its entry written once, to its index.
//
// Larger sides are distributed to groups first: see `groups.h`; then a block sorts each group by
// bins. A group that does not fit, for example because nearly all times are the same, is sorted by
// radix: see `overfull.h`.
//
// The number of clusters of sides is only known here: the host lists sides and parts by their
// capacities, and blocks without work exit. Clusters of the same time stay in the order of their
// indices.
//
// Dynamic shared memory: see `Sorting` and `Distribution`.
#include "time_bins/common.h"
#include "time_bins/overfull.h"
#include "time_bins/groups.h"
#include "time_bins/sorting.h"

using namespace time_bins;

namespace {

typedef Sorting<FEW_THREADS, FEW> FewSorting;
typedef Sorting<MANY_THREADS, MANY> ManySorting;

// Nothing is known of a large side.
__device__ __forceinline__ void forget(const Side& side, const Tables& tables) {
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += FEW_THREADS) side.counts(tables)[bucket] = 0;
    if (threadIdx.x < 2) side.extent(tables)[threadIdx.x] = ~0u;
}

}  // namespace

// Sorts the sides of few clusters, and clears the tables of large ones. A block per side.
extern "C" __global__ void __launch_bounds__(FEW_THREADS, 4)
    time_bins_few(const Cluster* clusters, const u32* side_offsets, const Found* found, Entry* entries, u32* extents,
                  u32* counts, OverfullBins* overfull) {
    SMEM_DYN(FewSorting, shared_memory);
    const Side side(blockIdx.x, side_offsets, found);
    if (blockIdx.x == 0 && threadIdx.x == 0) overfull->count = 0;
    if (side.is_large()) forget(side, {extents, counts, nullptr, nullptr, nullptr});
    if (side.count > FEW || side.count == 0) return;
    sort_by_bins(clusters + side.begin, side.count, entries + side.begin, *shared_memory);
}
KERNEL_EXPORT(time_bins_few)
KERNEL_SHARED(time_bins_few, FewSorting)

// Sorts the sides of more clusters that fit. A block per side.
extern "C" __global__ void __launch_bounds__(MANY_THREADS, 2)
    time_bins_many(const Cluster* clusters, const u32* side_offsets, const Found* found, Entry* entries) {
    SMEM_DYN(ManySorting, shared_memory);
    const Side side(blockIdx.x, side_offsets, found);
    if (side.count <= FEW || side.is_large()) return;
    sort_by_bins(clusters + side.begin, side.count, entries + side.begin, *shared_memory);
}
KERNEL_EXPORT(time_bins_many)
KERNEL_SHARED(time_bins_many, ManySorting)

// Copies the times of large sides, as clusters are large, and finds the first and the
// last one. A block per part.
extern "C" __global__ void __launch_bounds__(FEW_THREADS)
    time_bins_times(const Cluster* clusters, const u32* side_offsets, const Found* found, const Part* parts,
                    Entry* entries, u32* extents) {
    const BlockPart part(parts[blockIdx.x], side_offsets, found);
    if (part.is_empty()) return;
    u32* times = part.times(entries);
    Extent extent;
#pragma unroll 8
    for (u32 i = part.first + threadIdx.x; i < part.end; i += FEW_THREADS) {
        const u32 time = clusters[part.begin + i].time;
        times[i] = time;
        extent.include(time);
    }
    extent.include_in(extents + 2 * part.side);
}
KERNEL_EXPORT(time_bins_times)

// Counts the entries of the buckets of large sides. A block per part.
extern "C" __global__ void __launch_bounds__(FEW_THREADS)
    time_bins_count(const u32* side_offsets, const Found* found, const Part* parts, Entry* entries, u32* extents,
                    u32* counts) {
    __shared__ u32 block_counts[BUCKETS];
    const BlockPart part(parts[blockIdx.x], side_offsets, found);
    if (part.is_empty()) return;
    const Tables tables = {extents, counts, nullptr, nullptr, nullptr};
    const Scale bucket_of = part.bucket_of(tables);
    const u32* times = part.times(entries);
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += FEW_THREADS) block_counts[bucket] = 0;
    __syncthreads();
#pragma unroll 8
    for (u32 i = part.first + threadIdx.x; i < part.end; i += FEW_THREADS)
        atomicAdd(&block_counts[bucket_of(times[i])], 1u);
    __syncthreads();
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += FEW_THREADS)
        if (block_counts[bucket]) atomicAdd(&part.counts(tables)[bucket], block_counts[bucket]);
}
KERNEL_EXPORT(time_bins_count)

// Makes groups of the buckets of large sides. A block per side.
extern "C" __global__ void __launch_bounds__(MANY_THREADS)
    time_bins_group(const u32* side_offsets, const Found* found, u32* counts, u16* group_of, u32* group_offsets,
                    u32* next_offsets) {
    __shared__ u32 starts[BUCKETS + 1];
    __shared__ u32 warp_sums[LANES];
    const Side side(blockIdx.x, side_offsets, found);
    if (!side.is_large()) return;
    const Tables tables = {nullptr, counts, group_of, group_offsets, next_offsets};
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += MANY_THREADS)
        starts[bucket] = side.counts(tables)[bucket];
    if (threadIdx.x == 0) {
        starts[BUCKETS] = side.count;
        group_offsets[side.first_group()] = next_offsets[side.first_group()] = 0;
    }
    block_exclusive_sums<MANY_THREADS, BUCKETS>(starts, warp_sums);
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += MANY_THREADS) {
        side.group_of(tables)[bucket] = (u16)(starts[bucket] / side.step());
        begin_groups(side, starts[bucket], starts[bucket + 1], tables);
    }
}
KERNEL_EXPORT(time_bins_group)

// Moves the entries of large sides to their groups. A block per part.
extern "C" __global__ void __launch_bounds__(FEW_THREADS, 4)
    time_bins_distribute(const u32* side_offsets, const Found* found, const Part* parts, Entry* entries, u32* extents,
                         u16* group_of, u32* next_offsets, Entry* grouped) {
    SMEM_DYN(Distribution, shared_memory);
    Distribution& shared = *shared_memory;
    const BlockPart part(parts[blockIdx.x], side_offsets, found);
    if (part.is_empty()) return;
    const Tables tables = {extents, nullptr, group_of, nullptr, next_offsets};
    const Scale bucket_of = part.bucket_of(tables);
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += FEW_THREADS)
        shared.group_of[bucket] = part.group_of(tables)[bucket];
    for (u32 first = part.first; first < part.end; first += TILE)
        distribute_tile(part.times(entries), first, min(TILE, part.end - first), bucket_of,
                        next_offsets + part.first_group(), grouped + part.begin, shared);
}
KERNEL_EXPORT(time_bins_distribute)
KERNEL_SHARED(time_bins_distribute, Distribution)

// Sorts the groups of large sides. A block for each minimum group size; those of a part are
// neighbours.
extern "C" __global__ void __launch_bounds__(FEW_THREADS, 4)
    time_bins_groups(const u32* side_offsets, const Found* found, const Part* parts, const u32* group_offsets,
                     const u32* next_offsets, const Entry* grouped, Entry* entries, OverfullBins* overfull) {
    SMEM_DYN(FewSorting, shared_memory);
    const Part& part = parts[blockIdx.x / STEPS_OF_PART];
    const Side side(part.side, side_offsets, found);
    const u32 group = part.first / MIN_STEP + blockIdx.x % STEPS_OF_PART;
    if (!side.is_large() || group >= side.groups()) return;
    const u32 begin = side.begin + group_offsets[side.first_group() + group];
    const u32 end = side.begin + next_offsets[side.first_group() + group];
    if (end - begin <= FEW) {
        sort_by_bins(grouped + begin, end - begin, entries + begin, *shared_memory);
    } else if (threadIdx.x == 0) {
        overfull->ranges[atomicAdd(&overfull->count, 1u)] = {begin, end};
    }
}
KERNEL_EXPORT(time_bins_groups)
KERNEL_SHARED(time_bins_groups, FewSorting)

// Sorts groups that don't fit into shared memory. Any number of blocks.
extern "C" __global__ void __launch_bounds__(FEW_THREADS)
    time_bins_overfull(const OverfullBins* overfull, Entry* grouped, Entry* entries) {
    __shared__ OverfullShared shared;
    for (u32 i = blockIdx.x; i < overfull->count; i += gridDim.x) {
        const u32 begin = overfull->ranges[i].begin, count = overfull->ranges[i].end - begin;
        sort_overfull(grouped + begin, entries + begin, count, shared);
        __syncthreads();
    }
}
KERNEL_EXPORT(time_bins_overfull)
