// Sorting by distribution as in `channel_bucket.cu`, but digis with the same key keep the order in
// which they arrived.
//
// Digis are moved to their groups in that order, tile by tile: see `arrival.h`. So the index in a
// group gives the order of arrival, and is stored with the digi while a group is sorted in shared
// memory.
//
// A tile of many digis goes out in long runs, however many groups there are. If groups are few,
// runs of small tiles are long enough, and more blocks with fewer warps wait less for each other.
#include "channel_bucket/block.h"
#include "channel_bucket/by_arrival.h"
#include "channel_bucket/arrival.h"
#include "channel_bucket/groups.h"
#include "channel_bucket/overfull.h"
#include "channel_bucket/segment.h"

namespace {

constexpr u32 LARGE_TILE_THREADS = 512;
constexpr u32 LARGE_TILE_ITEMS = 14;
constexpr u32 LARGE_TILE = LARGE_TILE_THREADS * LARGE_TILE_ITEMS;
using LargeTile = InOrderOfArrival<LARGE_TILE_THREADS, LARGE_TILE_ITEMS>;
using LargeTileShared = LargeTile::Shared;
static_assert(LargeTile::TILE == LARGE_TILE, "what the launcher counts with");

constexpr u32 SMALL_TILE_THREADS = 128;
constexpr u32 SMALL_TILE_ITEMS = 16;
constexpr u32 SMALL_TILE = SMALL_TILE_THREADS * SMALL_TILE_ITEMS;
using SmallTile = InOrderOfArrival<SMALL_TILE_THREADS, SMALL_TILE_ITEMS>;
using SmallTileShared = SmallTile::Shared;
static_assert(SmallTile::TILE == SMALL_TILE, "what the launcher counts with");

// Copies the groups of all buckets, eight at a time.
__device__ __forceinline__ void copy_groups(u16* to, const u16* from) {
    constexpr u32 AT_ONCE = sizeof(uint4) / sizeof(u16);
    for (u32 i = threadIdx.x; i < BUCKETS / AT_ONCE; i += blockDim.x)
        reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
}

// Takes the next tile, and moves it.
template <class TileSort>
__device__ __forceinline__ void distribute_next(const u64* from, u64* to, const Range* regions, const Tile* tiles,
                                                const u16* group_of, const u32* first_groups, const u32* next_offsets,
                                                const u32* first_states, u32* states, u32* ticket, Digit digit,
                                                typename TileSort::Shared& shared) {
    if (threadIdx.x == 0) shared.ticket = atomicAdd(ticket, 1u);
    __syncthreads();
    const Tile tile = tiles[shared.ticket];
    const u16* groups = group_of + tile.region * BUCKETS;
    copy_groups(shared.group_of, groups);
    const Range region = regions[tile.region];
    const u32 begin = region.begin + tile.number * TileSort::TILE;
    const Range range = {begin, begin + min(TileSort::TILE, region.end - begin)};
    // Groups are counted from the region's first bucket on.
    const u32 group_count = groups[BUCKETS - 1] + 1;
    TileSort::distribute(
        from, to,
        {range, tile.number, group_count, next_offsets + first_groups[tile.region], states + first_states[tile.region]},
        digit, shared);
}

}  // namespace

// Moves the digis of all regions to their groups: `next_offsets` has the groups' offsets. The tiles
// of a region come in order; `first_states` has the offset of its status words in `states`, one for
// each tile and group. These and the `ticket` are zero at the start. A block per tile.
extern "C" __global__ void __launch_bounds__(LARGE_TILE_THREADS, 2)
    channel_bucket_distribute_large_tiles(const u64* from, u64* to, const Range* regions, const Tile* tiles,
                                          const u16* group_of, const u32* first_groups, const u32* next_offsets,
                                          const u32* first_states, u32* states, u32* ticket, u32 shift, u32 bits) {
    SMEM_DYN(LargeTileShared, shared);
    distribute_next<LargeTile>(from, to, regions, tiles, group_of, first_groups, next_offsets, first_states, states,
                               ticket, {shift, bits}, *shared);
}
KERNEL_EXPORT(channel_bucket_distribute_large_tiles, DistributeTiles)
KERNEL_SHARED(channel_bucket_distribute_large_tiles, LargeTileShared)

// Moves digis in small tiles, for regions of few groups.
extern "C" __global__ void __launch_bounds__(SMALL_TILE_THREADS, 7)
    channel_bucket_distribute_small_tiles(const u64* from, u64* to, const Range* regions, const Tile* tiles,
                                          const u16* group_of, const u32* first_groups, const u32* next_offsets,
                                          const u32* first_states, u32* states, u32* ticket, u32 shift, u32 bits) {
    SMEM_DYN(SmallTileShared, shared);
    distribute_next<SmallTile>(from, to, regions, tiles, group_of, first_groups, next_offsets, first_states, states,
                               ticket, {shift, bits}, *shared);
}
KERNEL_EXPORT(channel_bucket_distribute_small_tiles, DistributeTiles)
KERNEL_SHARED(channel_bucket_distribute_small_tiles, SmallTileShared)

// The following kernels sort like those of `channel_bucket.cu`.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_small_stable(u64* digis, const Range* segments, RangeList* crowded) {
    SMEM_DYN(Sorting, shared);
    sort_segment(digis, segments, crowded, *shared);
}
KERNEL_EXPORT(channel_bucket_small_stable, SortSegments)
KERNEL_SHARED(channel_bucket_small_stable, Sorting)

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_sort_stable(const u64* from, u64* to, const u32* bucket_offsets, const Group* groups,
                               const u32* group_count, const u32* extents, RangeList* oversized, RangeList* crowded) {
    SMEM_DYN(Sorting, shared_memory);
    sort_block_group(bucket_offsets, groups, group_count, crowded, [&](const Group& group) {
        return sort_channels(from, to, bucket_offsets, group, extents, oversized, *shared_memory);
    });
}
KERNEL_EXPORT(channel_bucket_sort_stable, SortGroups)
KERNEL_SHARED(channel_bucket_sort_stable, Sorting)

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    channel_bucket_sort_times_stable(const u64* from, u64* to, const u32* bucket_offsets, const Group* groups,
                                     const u32* group_count, u32 shift, u32 bits, RangeList* oversized,
                                     RangeList* crowded) {
    SMEM_DYN(Sorting, shared_memory);
    sort_block_group(bucket_offsets, groups, group_count, crowded, [&](const Group& group) {
        return sort_times(from, to, bucket_offsets, group, {shift, bits}, oversized, *shared_memory);
    });
}
KERNEL_EXPORT(channel_bucket_sort_times_stable, SortTimes)
KERNEL_SHARED(channel_bucket_sort_times_stable, Sorting)

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    channel_bucket_overfull_stable(const u64* from, u64* to, const RangeList* crowded) {
    SMEM_DYN(Overfull, shared_memory);
    sort_all_overfull(from, to, crowded, *shared_memory);
}
KERNEL_EXPORT(channel_bucket_overfull_stable, SortCrowded)
KERNEL_SHARED(channel_bucket_overfull_stable, Overfull)
