// Sorts the clusters of each side by bins of time: entries of 8 bytes are sorted, not clusters.
//
// A block takes the clusters of a side that fits into shared memory. Their times are counted into
// bins, one for each cluster at most; entries go to their bins, and each entry counts the
// earlier ones of its bin. So a cluster is read once, and its entry written once, to its index.
//
// Larger sides are distributed to groups first: see `large.h`; then a block sorts each group by
// bins. A group that does not fit, for example because nearly all times are the same, is sorted by
// radix: see `large.h`.
//
// The number of clusters of sides is only known here: the host lists sides and parts by their
// capacities, and blocks without work exit. Clusters of the same time stay in the order of their
// indices.
//
// Dynamic shared memory: see `Sorting` and `Distribution`.
#include "time_bins/large.h"

using namespace time_bins;

namespace {

typedef Sorting<FEW_THREADS, FEW> FewSorting;
typedef Sorting<MANY_THREADS, MANY> ManySorting;

// Blocks of a multiprocessor: the maximum that have shared memory.
constexpr u32 FEW_BLOCKS = 4;
constexpr u32 MANY_BLOCKS = 2;

// Nothing is known of a large side.
__device__ __forceinline__ void forget(const Side& side) {
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += FEW_THREADS) side.counts()[bucket] = 0;
    if (threadIdx.x < 2) side.extent()[threadIdx.x] = ~0u;
}

// Sorts the sides of few clusters, and clears the tables of large ones. A block per side.
__device__ __forceinline__ void sort_few(const TimeSort& all) {
    SMEM_DYN(FewSorting, shared_memory);
    const Side side(blockIdx.x, all);
    if (blockIdx.x == 0 && threadIdx.x == 0) all.overfull->count = 0;
    if (side.is_large()) forget(side);
    if (side.count > FEW || side.count == 0) return;
    sort_by_bins(all.clusters + side.begin, side.count, all.entries + side.begin, *shared_memory);
}

// Sorts the sides of more clusters that fit. A block per side.
__device__ __forceinline__ void sort_many(const TimeSort& all) {
    SMEM_DYN(ManySorting, shared_memory);
    const Side side(blockIdx.x, all);
    if (side.count <= FEW || side.is_large()) return;
    sort_by_bins(all.clusters + side.begin, side.count, all.entries + side.begin, *shared_memory);
}

// Copies the times of large sides, as clusters are large, and finds the first and the
// last one. A block per part.
__device__ __forceinline__ void copy_times(const TimeSort& all) {
    const BlockPart part(all);
    if (part.is_empty()) return;
    u32* times = part.times();
    Extent extent;
#pragma unroll 8
    for (u32 i = part.first + threadIdx.x; i < part.end; i += FEW_THREADS) {
        const u32 time = all.clusters[part.begin + i].time;
        times[i] = time;
        extent.include(time);
    }
    extent.include_in(part.extent());
}

// Counts the entries of the buckets of large sides. A block per part.
__device__ __forceinline__ void count_buckets(const TimeSort& all) {
    __shared__ u32 block_counts[BUCKETS];
    const BlockPart part(all);
    if (part.is_empty()) return;
    const Scale bucket_of = part.bucket_of();
    const u32* times = part.times();
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += FEW_THREADS) block_counts[bucket] = 0;
    __syncthreads();
#pragma unroll 8
    for (u32 i = part.first + threadIdx.x; i < part.end; i += FEW_THREADS)
        atomicAdd(&block_counts[bucket_of(times[i])], 1u);
    __syncthreads();
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += FEW_THREADS)
        if (block_counts[bucket]) atomicAdd(&part.counts()[bucket], block_counts[bucket]);
}

// Makes groups of the buckets of large sides. A block per side.
__device__ __forceinline__ void make_groups(const TimeSort& all) {
    __shared__ u32 starts[BUCKETS + 1];
    __shared__ u32 warp_sums[LANES];
    const Side side(blockIdx.x, all);
    if (!side.is_large()) return;
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += MANY_THREADS) starts[bucket] = side.counts()[bucket];
    if (threadIdx.x == 0) {
        starts[BUCKETS] = side.count;
        all.group_offsets[side.first_group()] = all.next_offsets[side.first_group()] = 0;
    }
    block_exclusive_sums<MANY_THREADS, BUCKETS>(starts, warp_sums);
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += MANY_THREADS) {
        side.group_of()[bucket] = (u16)(starts[bucket] / side.step());
        begin_groups(side, starts[bucket], starts[bucket + 1]);
    }
}

// Moves the entries of large sides to their groups. A block per part.
__device__ __forceinline__ void distribute(const TimeSort& all) {
    SMEM_DYN(Distribution, shared_memory);
    Distribution& shared = *shared_memory;
    const BlockPart part(all);
    if (part.is_empty()) return;
    const Scale bucket_of = part.bucket_of();
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += FEW_THREADS)
        shared.group_of[bucket] = part.group_of()[bucket];
    for (u32 first = part.first; first < part.end; first += TILE)
        distribute_tile(part.times(), first, min(TILE, part.end - first), bucket_of,
                        all.next_offsets + part.first_group(), all.grouped + part.begin, shared);
}

// Sorts the groups of large sides. A block for each minimum group size; those of a part are
// neighbours.
__device__ __forceinline__ void sort_groups(const TimeSort& all) {
    SMEM_DYN(FewSorting, shared_memory);
    const Part& part = all.parts[blockIdx.x / STEPS_OF_PART];
    const Side side(part.side, all);
    const u32 group = part.first / MIN_STEP + blockIdx.x % STEPS_OF_PART;
    if (!side.is_large() || group >= side.groups()) return;
    const u32 begin = side.begin + all.group_offsets[side.first_group() + group];
    const u32 end = side.begin + all.next_offsets[side.first_group() + group];
    if (end - begin <= FEW) {
        sort_by_bins((const Entry*)all.grouped + begin, end - begin, all.entries + begin, *shared_memory);
    } else if (threadIdx.x == 0) {
        all.overfull->ranges[atomicAdd(&all.overfull->count, 1u)] = {begin, end};
    }
}

// Sorts groups that don't fit into shared memory. Any number of blocks.
__device__ __forceinline__ void sort_all_overfull(const TimeSort& all) {
    __shared__ OverfullShared shared;
    for (u32 i = blockIdx.x; i < all.overfull->count; i += gridDim.x) {
        const u32 begin = all.overfull->ranges[i].begin, count = all.overfull->ranges[i].end - begin;
        sort_overfull(all.grouped + begin, all.entries + begin, count, shared);
        __syncthreads();
    }
}

}  // namespace

KERNEL_INSTANCE(time_bins_few, TimeSort, (FEW_THREADS, FEW_BLOCKS), sort_few)
KERNEL_SHARED(time_bins_few, FewSorting)
KERNEL_INSTANCE(time_bins_many, TimeSort, (MANY_THREADS, MANY_BLOCKS), sort_many)
KERNEL_SHARED(time_bins_many, ManySorting)
KERNEL_INSTANCE(time_bins_times, TimeSort, (FEW_THREADS), copy_times)
KERNEL_INSTANCE(time_bins_count, TimeSort, (FEW_THREADS), count_buckets)
KERNEL_INSTANCE(time_bins_group, TimeSort, (MANY_THREADS), make_groups)
KERNEL_INSTANCE(time_bins_distribute, TimeSort, (FEW_THREADS, FEW_BLOCKS), distribute)
KERNEL_SHARED(time_bins_distribute, Distribution)
KERNEL_INSTANCE(time_bins_groups, TimeSort, (FEW_THREADS, FEW_BLOCKS), sort_groups)
KERNEL_SHARED(time_bins_groups, FewSorting)
KERNEL_INSTANCE(time_bins_overfull, TimeSort, (FEW_THREADS), sort_all_overfull)
