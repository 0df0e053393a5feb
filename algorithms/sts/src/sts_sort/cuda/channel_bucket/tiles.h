// Digis go to the groups of their buckets, each group's in the order in which they arrive.
//
// Digis are moved tile by tile. Within a warp, lanes that have digis of the same group find each
// other by a mask, in rounds. Each warp has its own table if they fit; else several warps share one,
// one after the other. Tiles publish their numbers of digis of each group for decoupled look-back:
// see `scan.h`.
//
// A tile of many digis goes out in long runs, however many groups there are. If groups are few,
// runs of small tiles are long enough, and more blocks with fewer warps wait less for each other.
#pragma once
#include "scan.h"
#include "sorting.h"

namespace channel_bucket {

// The tiles of all regions, those of a region in order. `first_states` has the offset of a region's
// status words in `states`, one for each tile and group. These and the `ticket` are zero at the
// start.
struct TileStatus {
    const Tile* tiles;
    const u32* first_states;
    u32* states;
    u32* ticket;  // index of the next tile
};

// Moving the digis of all regions to their groups.
struct DistributeTiles {
    const u64* from;
    u64* to;
    const Range* regions;
    const u16* group_of;
    const u32* first_groups;
    const u32* next_offsets;  // offsets of the groups
    TileStatus status;
    Digit digit;
};

}  // namespace channel_bucket

namespace {

// Status word of a tile and group: 0 if not published, below UP_TO_TILE one more than the tile's
// own digis, else the sum over all tiles up to it.
constexpr u32 UP_TO_TILE = 1u << 31;
// Tiles whose status is read together.
constexpr u32 LOOK_BACK = 4;

// The digis of a group in all tiles before one, whose status words are `stride` apart; `states` is
// that of the tile itself. Tiles before must be those of blocks that have already started.
__device__ __forceinline__ u32 digis_in_tiles_before(const u32* states, u32 stride, u32 tile) {
    u32 sum = 0;
    for (u32 next = 1; next <= tile;) {
        u32 words[LOOK_BACK];
#pragma unroll
        for (u32 i = 0; i < LOOK_BACK; i++)
            words[i] = next + i <= tile ? load_relaxed(states - (next + i) * stride) : 0;
#pragma unroll
        for (u32 i = 0; i < LOOK_BACK; i++) {
            if (words[i] == 0) break;
            if (words[i] >= UP_TO_TILE) return sum + (words[i] - UP_TO_TILE);
            sum += words[i] - 1;
            next++;
        }
        if (words[0] == 0) __nanosleep(POLL_NS);
    }
    return sum;
}

// A tile of a region, and what is known of the region's groups.
struct TileOfRegion {
    Range range;
    u32 number;         // index among the region's tiles
    u32 groups;         // number of groups of the region
    const u32* group_offsets;  // offsets of the groups
    u32* states;               // status words of tiles, from the first one on
};

// Blocks of `BLOCK` threads that process tiles of `ITEMS` digis per thread.
template <u32 BLOCK, u32 ITEMS> struct InOrderOfArrival {
    static constexpr u32 TILE = BLOCK * ITEMS;
    static constexpr u32 WARPS = BLOCK / LANES;
    static_assert(TILE < 1u << 16, "an index in a tile is half of a word");

    // The lanes that have a digi of a group in this round, and how many the warp had in earlier ones.
    struct alignas(2 * sizeof(lanemask_t)) Seen {
        lanemask_t lanes;
        u32 before;
    };

    // Groups of all tables together: 512 for each warp, and all there can be at least once.
    static constexpr u32 GROUPS_OF_TABLE = 512;
    static constexpr u32 TABLE_CAPACITY = WARPS * GROUPS_OF_TABLE > BUCKETS ? WARPS * GROUPS_OF_TABLE : BUCKETS;

    struct Shared {
        union {
            Seen seen[TABLE_CAPACITY];  // a table for each warp, or for some of them
            u64 staged[TILE];  // then the digis, group by group
        };
        u16 starts[TABLE_CAPACITY];  // destination of a group's digis that a table has counted
        u32 distances[BUCKETS];  // destination of a group's digis minus its offset in the tile
        u32 warp_sums[LANES];
        u32 ticket;
        alignas(16) u16 group_of[BUCKETS];
    };

    // A number for each digi of a thread, two in a word: registers are scarce.
    struct Halves {
        u32 words[(ITEMS + 1) / 2] = {};

        __device__ __forceinline__ u32 operator[](u32 i) const { return words[i / 2] >> i % 2 * 16 & 0xffff; }
        __device__ __forceinline__ void put(u32 i, u32 half) {
            words[i / 2] = i % 2 ? (words[i / 2] & 0xffff) | half << 16 : (words[i / 2] & 0xffff0000) | half;
        }
    };

    // The position in the tile of this thread's digi i: a warp has consecutive ones.
    __device__ __forceinline__ static u32 position(u32 i) {
        return (threadIdx.x / LANES * ITEMS + i) * LANES + threadIdx.x % LANES;
    }

    // A power of two.
    __device__ __forceinline__ static u32 tables_for(u32 groups) {
        u32 tables = WARPS;
        while (tables * groups > TABLE_CAPACITY) tables /= 2;
        return tables;
    }

    // Moves a tile: to shared memory first, grouped, then to its destinations in one run per group.
    // `shared.group_of` is set. A barrier before.
    __device__ __forceinline__ static void distribute(const u64* from, u64* to, const TileOfRegion& tile, Digit digit,
                                                      Shared& shared) {
        const u32 count = tile.range.count(), tables = tables_for(tile.groups);
        u64 digis[ITEMS];
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) digis[i] = position(i) < count ? from[tile.range.begin + position(i)] : 0;
        for (u32 i = threadIdx.x; i < tables * tile.groups; i += BLOCK) shared.seen[i] = {0, 0};
        __syncthreads();
        const auto group = [&](u32 i) { return (u32)shared.group_of[digit(digis[i])]; };
        // Each loop looks up all digis together, so that the loads are in flight together.
        Halves halves;
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) halves.put(i, group(i));
        const u32 table = rank_in_turns(count, tables, tile.groups, halves, shared);
        reserve_groups(tile, tables, shared);
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) halves.put(i, halves[i] + shared.starts[table + group(i)]);
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++)
            if (position(i) < count) shared.staged[halves[i]] = digis[i];
        __syncthreads();
        for (u32 i = threadIdx.x; i < count; i += BLOCK) {
            const u64 digi = shared.staged[i];
            to[shared.distances[shared.group_of[digit(digi)]] + i] = digi;
        }
    }

  private:
    // Finds how many digis of its group come before each of a thread's in its table, with those of
    // earlier warps in the tile first: `halves` has the groups before, and the ranks after. Returns
    // the offset of the table. Barriers before and after.
    __device__ __forceinline__ static u32 rank_in_turns(u32 count, u32 tables, u32 groups, Halves& halves,
                                                        Shared& shared) {
        const u32 warp = threadIdx.x / LANES, turns = WARPS / tables;
        const u32 table = warp / turns * groups;
        for (u32 turn = 0; turn < turns; turn++) {
            if (warp % turns == turn) rank_in_warp(count, halves, shared.seen + table);
            __syncthreads();
        }
        return table;
    }

    __device__ __forceinline__ static void rank_in_warp(u32 count, Halves& halves, Seen* table) {
        const u32 lane = threadIdx.x % LANES;
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            const bool is_one = position(i) < count;
            Seen& seen = table[is_one ? halves[i] : 0];
            if (is_one) atomicOr(&seen.lanes, (lanemask_t)1 << lane);
            __syncwarp();
            const Seen group_seen = seen;
            const u32 before = popc(group_seen.lanes & lanemask_lt(lane));
            __syncwarp();
            if (is_one && before == 0) seen = {0, group_seen.before + popc(group_seen.lanes)};
            __syncwarp();
            halves.put(i, group_seen.before + before);
        }
    }

    // Finds where each group's digis go, in the tile and beyond. Barriers before and after.
    __device__ __forceinline__ static void reserve_groups(const TileOfRegion& tile, u32 tables, Shared& shared) {
        const u32 groups = tile.groups;
        u32 start = 0;
        for (u32 first = 0; first < groups; first += BLOCK) {
            const u32 group = first + threadIdx.x;
            const bool is_one = group < groups;
            u32 sum = 0;
            for (u32 table = 0; is_one && table < tables; table++) {
                shared.starts[table * groups + group] = (u16)sum;
                sum += shared.seen[table * groups + group].before;
            }
            u32* state = tile.states + tile.number * groups + group;
            if (is_one) store_relaxed(state, tile.number == 0 ? UP_TO_TILE + sum : sum + 1);
            u32 total;
            const u32 group_start = start + block_exclusive_sum<BLOCK>(sum, shared.warp_sums, total);
            start += total;
            if (is_one) {
                for (u32 table = 0; table < tables; table++) shared.starts[table * groups + group] += (u16)group_start;
                const u32 before = digis_in_tiles_before(state, groups, tile.number);
                if (tile.number > 0) store_relaxed(state, UP_TO_TILE + before + sum);
                shared.distances[group] = tile.group_offsets[group] + before - group_start;
            }
            __syncthreads();
        }
    }
};

constexpr u32 LARGE_TILE_THREADS = 512;
// The maximum that has shared memory on a multiprocessor.
constexpr u32 LARGE_TILE_BLOCKS = 2;
constexpr u32 LARGE_TILE_ITEMS = 14;
constexpr u32 LARGE_TILE = LARGE_TILE_THREADS * LARGE_TILE_ITEMS;
using LargeTile = InOrderOfArrival<LARGE_TILE_THREADS, LARGE_TILE_ITEMS>;
static_assert(LargeTile::TILE == LARGE_TILE, "what the launcher counts with");

constexpr u32 SMALL_TILE_THREADS = 128;
constexpr u32 SMALL_TILE_BLOCKS = 7;
constexpr u32 SMALL_TILE_ITEMS = 16;
constexpr u32 SMALL_TILE = SMALL_TILE_THREADS * SMALL_TILE_ITEMS;
using SmallTile = InOrderOfArrival<SMALL_TILE_THREADS, SMALL_TILE_ITEMS>;
static_assert(SmallTile::TILE == SMALL_TILE, "what the launcher counts with");

// Copies the groups of all buckets, eight at a time.
__device__ __forceinline__ void copy_groups(u16* to, const u16* from) {
    constexpr u32 AT_ONCE = sizeof(uint4) / sizeof(u16);
    for (u32 i = threadIdx.x; i < BUCKETS / AT_ONCE; i += blockDim.x)
        reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
}

// Takes the next tile, and moves it. A block per tile.
template <class TileSort> __device__ __forceinline__ void distribute_next(const DistributeTiles& all) {
    SMEM_DYN(typename TileSort::Shared, shared_memory);
    typename TileSort::Shared& shared = *shared_memory;
    const TileStatus& status = all.status;
    if (threadIdx.x == 0) shared.ticket = atomicAdd(status.ticket, 1u);
    __syncthreads();
    const Tile tile = status.tiles[shared.ticket];
    const u16* groups = all.group_of + tile.region * BUCKETS;
    copy_groups(shared.group_of, groups);
    const Range region = all.regions[tile.region];
    const u32 begin = region.begin + tile.number * TileSort::TILE;
    const Range range = {begin, begin + min(TileSort::TILE, region.end - begin)};
    // Groups are counted from the region's first bucket on.
    const u32 group_count = groups[BUCKETS - 1] + 1;
    TileSort::distribute(all.from, all.to,
                         {range, tile.number, group_count, all.next_offsets + all.first_groups[tile.region],
                          status.states + status.first_states[tile.region]},
                         all.digit, shared);
}

}  // namespace
