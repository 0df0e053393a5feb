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
// Digis with the same key come in the order of their other bits, so that the result is
// deterministic, or keep the order in which they arrived. Then they are moved to their groups in
// that order: see `tiles.h`. So the index in a group gives the order of arrival, and is stored with
// the digi while a group is sorted in shared memory.
//
// Dynamic shared memory: see `Distribution`, `InOrderOfArrival`, `Sorting` and `Overfull`.
#include "channel_bucket/segment.h"
#include "channel_bucket/tiles.h"

namespace {

// Regions: groups of their buckets, and moving digis to these.

// Groups of a region's buckets that are sorted together: the largest that fit.

constexpr u32 GROUPING_THREADS = 1024;
constexpr u32 BUCKETS_EACH = BUCKETS / GROUPING_THREADS;

struct Grouping {
    u32 starts[BUCKETS + 1];  // offset of each bucket in the region
    u32 is_first[BUCKETS];    // 1 for the first bucket of a group
    u32 numbers[BUCKETS];     // number of groups that start before the bucket
    u16 leaps[BUCKETS + 1];   // bucket that the chain of groups reaches from each one
    u32 warp_sums[LANES];
    u32 first_group;
};

// The bucket after the last one that fits in with a bucket, which itself need
// not fit.
__device__ __forceinline__ u32 end_of_group(const u32* starts, u32 bucket, u32 capacity) {
    u32 low = bucket + 1, high = BUCKETS;
    while (low < high) {
        const u32 middle = (low + high + 1) / 2;
        if (starts[middle] - starts[bucket] <= capacity) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// Flags the first buckets of the groups that follow from a group at bucket 0. Each bucket points to
// the start of the next group; flags spread by pointer doubling, over 1, 2, 4 … groups, and so
// reach all in a number of rounds that is the number of bits of the group count. Barriers before
// and after.
__device__ __forceinline__ void mark_groups(Grouping& shared, u32 capacity) {
#pragma unroll
    for (u32 i = 0; i < BUCKETS_EACH; i++) {
        const u32 bucket = threadIdx.x + i * GROUPING_THREADS;
        shared.leaps[bucket] = (u16)end_of_group(shared.starts, bucket, capacity);
        shared.is_first[bucket] = bucket == 0;
    }
    if (threadIdx.x == 0) shared.leaps[BUCKETS] = (u16)BUCKETS;
    __syncthreads();
    while (shared.leaps[0] < BUCKETS) {
        u32 targets[BUCKETS_EACH], twice[BUCKETS_EACH];
        bool marked[BUCKETS_EACH];
#pragma unroll
        for (u32 i = 0; i < BUCKETS_EACH; i++) {
            const u32 bucket = threadIdx.x + i * GROUPING_THREADS;
            targets[i] = shared.leaps[bucket];
            twice[i] = shared.leaps[targets[i]];
            marked[i] = shared.is_first[bucket];
        }
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < BUCKETS_EACH; i++) {
            // A target has one predecessor in a chain.
            if (marked[i] && targets[i] < BUCKETS) shared.is_first[targets[i]] = 1;
            shared.leaps[threadIdx.x + i * GROUPING_THREADS] = (u16)twice[i];
        }
        __syncthreads();
    }
}

// Moving digis to the groups of their buckets.

// Digis of a tile: 56 KiB.
constexpr u32 DISTRIBUTED_ITEMS = 14;
constexpr u32 DISTRIBUTED_TILE = THREADS * DISTRIBUTED_ITEMS;
// A tile less a pair, as the first pair may begin before the range.
constexpr u32 DISTRIBUTED_STEP = DISTRIBUTED_TILE - 2;
constexpr u32 BUCKETS_OF_THREAD = BUCKETS / THREADS;

struct Distribution {
    union {
        u32 group_starts[BUCKETS + 1];  // offsets of groups in the tile, and the end of the last one
        u64 staged[DISTRIBUTED_TILE];   // then the digis, bucket by bucket
    };
    u32 counts[BUCKETS];     // counts of the tile, then offsets of its buckets in it
    u32 distances[BUCKETS];  // destination of a group's digis minus its offset in the tile
    u32 warp_sums[LANES];
    u16 group_of[BUCKETS];

    __device__ __forceinline__ u32 groups() const { return group_of[BUCKETS - 1] + 1; }
};

// The digis of a tile that a thread has: pairs of positions in the array, which
// is aligned, whatever the tile. The first may begin before the tile.
struct ThreadDigis {
    u64 digis[DISTRIBUTED_ITEMS];
    u32 offset;  // offset of the first digi in the tile, -1 in the first thread of an odd one
    u32 count;   // digis of the tile

    __device__ __forceinline__ bool has(u32 i) const { return offset + (i / 2 * 2 * THREADS + i % 2) < count; }

    __device__ __forceinline__ void load(const u64* from, Range tile) {
        const u32 first = tile.begin / 2 * 2 + 2 * threadIdx.x;
        offset = first - tile.begin;
        count = tile.count();
#pragma unroll
        for (u32 i = 0; i < DISTRIBUTED_ITEMS; i += 2) {
            const u32 at = first + i * THREADS;
            if (at + 1 < tile.end) {
                const ulonglong2 pair = *reinterpret_cast<const ulonglong2*>(from + at);
                digis[i] = pair.x;
                digis[i + 1] = pair.y;
            } else if (at < tile.end) {
                digis[i] = from[at];
            }
        }
    }
};

// Turns counts into where buckets begin in the tile, and finds where groups do. Barriers after.
__device__ __forceinline__ void scan_buckets(u32 count, Distribution& shared) {
    const u32 first = threadIdx.x * BUCKETS_OF_THREAD;
    u32 counts[BUCKETS_OF_THREAD], sum = 0;
#pragma unroll
    for (u32 i = 0; i < BUCKETS_OF_THREAD; i++) sum += counts[i] = shared.counts[first + i];
    u32 total;
    u32 before = block_exclusive_sum<THREADS>(sum, shared.warp_sums, total);
#pragma unroll
    for (u32 i = 0; i < BUCKETS_OF_THREAD; i++) {
        const u32 bucket = first + i, group = shared.group_of[bucket];
        shared.counts[bucket] = before;
        if (bucket == 0 || shared.group_of[bucket - 1] != group) shared.group_starts[group] = before;
        before += counts[i];
    }
    if (threadIdx.x == 0) shared.group_starts[shared.groups()] = count;
    __syncthreads();
}

// Reserves ranges for a tile's digis in their groups. Barriers before and after.
__device__ __forceinline__ void reserve_groups(u32* next_offsets, Distribution& shared) {
    const u32 groups = shared.groups();
    for (u32 group = threadIdx.x; group < groups; group += THREADS) {
        const u32 start = shared.group_starts[group], count = shared.group_starts[group + 1] - start;
        // Blocks share a group's offset, so that the ends of their runs meet in the cache before
        // they go to memory.
        if (count) shared.distances[group] = atomicAdd(&next_offsets[group], count) - start;
    }
    __syncthreads();
}

// Moves a tile: to shared memory first, grouped, then to its destinations in one run per group.
// Barriers before and after.
__device__ __forceinline__ void distribute_tile(const u64* from, u64* to, Range tile, Digit digit, u32* next_offsets,
                                                Distribution& shared) {
    constexpr u32 RANK_SHIFT = 16;
    constexpr u32 BUCKET_MASK = (1u << RANK_SHIFT) - 1;
    static_assert(DISTRIBUTED_TILE <= 1u << RANK_SHIFT && BUCKETS <= 1u << RANK_SHIFT, "both fit into a word");
    ThreadDigis thread_digis;
    thread_digis.load(from, tile);
    clear<THREADS>(shared.counts, BUCKETS);
    __syncthreads();
    u32 ranks[DISTRIBUTED_ITEMS];
#pragma unroll
    for (u32 i = 0; i < DISTRIBUTED_ITEMS; i++) {
        if (!thread_digis.has(i)) continue;
        const u32 bucket = digit(thread_digis.digis[i]);
        ranks[i] = atomicAdd(&shared.counts[bucket], 1u) << RANK_SHIFT | bucket;
    }
    __syncthreads();
    scan_buckets(tile.count(), shared);
    reserve_groups(next_offsets, shared);
#pragma unroll
    for (u32 i = 0; i < DISTRIBUTED_ITEMS; i++) {
        if (!thread_digis.has(i)) continue;
        shared.staged[shared.counts[ranks[i] & BUCKET_MASK] + (ranks[i] >> RANK_SHIFT)] = thread_digis.digis[i];
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < tile.count(); i += THREADS) {
        const u64 digi = shared.staged[i];
        to[shared.distances[shared.group_of[digit(digi)]] + i] = digi;
    }
    __syncthreads();
}

}  // namespace

// Counts the digis of each region's buckets, and finds its first and last time.
// `counts` has BUCKETS words per region, zero at the start; `extents` two words:
// see `Extent`. A block per part of a region.
extern "C" __global__ void __launch_bounds__(THREADS)
    channel_bucket_count(const u64* digis, const Range* parts, const u32* region_of_part, u32* counts, u32* extents,
                         Digit digit) {
    __shared__ u32 block_counts[BUCKETS];
    const Range range = parts[blockIdx.x];
    const u32 region = region_of_part[blockIdx.x];
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
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    channel_bucket_distribute(const u64* from, u64* to, const Range* parts, const u32* region_of_part,
                              const u16* group_of, const u32* first_groups, u32* next_offsets, Digit digit) {
    SMEM_DYN(Distribution, shared_memory);
    Distribution& shared = *shared_memory;
    const Range range = parts[blockIdx.x];
    const u32 region = region_of_part[blockIdx.x];
    for (u32 bucket = threadIdx.x; bucket < BUCKETS; bucket += THREADS)
        shared.group_of[bucket] = group_of[region * BUCKETS + bucket];
    u32* region_offsets = next_offsets + first_groups[region];
    for (u32 begin = range.begin; begin < range.end; begin += min(DISTRIBUTED_STEP, range.end - begin)) {
        const Range tile = {begin, begin + min(DISTRIBUTED_STEP, range.end - begin)};
        distribute_tile(from, to, tile, digit, region_offsets, shared);
    }
}
KERNEL_EXPORT(channel_bucket_distribute)
KERNEL_SHARED(channel_bucket_distribute, Distribution)

// Moves the digis of all regions to their groups in the order in which they arrive, in tiles of two
// sizes: small ones for regions of few groups.
KERNEL_INSTANCE(channel_bucket_distribute_large_tiles, DistributeTiles, (LARGE_TILE_THREADS, LARGE_TILE_BLOCKS), distribute_next<LargeTile>)
KERNEL_SHARED(channel_bucket_distribute_large_tiles, LargeTile::Shared)
KERNEL_INSTANCE(channel_bucket_distribute_small_tiles, DistributeTiles, (SMALL_TILE_THREADS, SMALL_TILE_BLOCKS), distribute_next<SmallTile>)
KERNEL_SHARED(channel_bucket_distribute_small_tiles, SmallTile::Shared)

namespace {

using ByAllBits = BlockSort<THREADS, false>;
using ByArrival = BlockSort<THREADS, true>;

// Few digis are crowded: these blocks may have all registers.
constexpr u32 OVERFULL_BLOCKS = 1;

}  // namespace

KERNEL_INSTANCE(channel_bucket_small, SortSegments, (THREADS, BLOCKS), sort_segments<ByAllBits>)
KERNEL_SHARED(channel_bucket_small, Sorting<ByAllBits>)
KERNEL_INSTANCE(channel_bucket_sort, SortGroups, (THREADS, BLOCKS), sort_channels<ByAllBits>)
KERNEL_SHARED(channel_bucket_sort, Sorting<ByAllBits>)
KERNEL_INSTANCE(channel_bucket_sort_times, SortTimes, (THREADS, BLOCKS), sort_times<ByAllBits>)
KERNEL_SHARED(channel_bucket_sort_times, Sorting<ByAllBits>)
KERNEL_INSTANCE(channel_bucket_overfull, SortCrowded, (THREADS, OVERFULL_BLOCKS), sort_all_overfull<ByAllBits>)
KERNEL_SHARED(channel_bucket_overfull, Overfull<ByAllBits>)

KERNEL_INSTANCE(channel_bucket_small_stable, SortSegments, (THREADS, BLOCKS), sort_segments<ByArrival>)
KERNEL_SHARED(channel_bucket_small_stable, Sorting<ByArrival>)
KERNEL_INSTANCE(channel_bucket_sort_stable, SortGroups, (THREADS, BLOCKS), sort_channels<ByArrival>)
KERNEL_SHARED(channel_bucket_sort_stable, Sorting<ByArrival>)
KERNEL_INSTANCE(channel_bucket_sort_times_stable, SortTimes, (THREADS, BLOCKS), sort_times<ByArrival>)
KERNEL_SHARED(channel_bucket_sort_times_stable, Sorting<ByArrival>)
KERNEL_INSTANCE(channel_bucket_overfull_stable, SortCrowded, (THREADS, OVERFULL_BLOCKS), sort_all_overfull<ByArrival>)
KERNEL_SHARED(channel_bucket_overfull_stable, Overfull<ByArrival>)
