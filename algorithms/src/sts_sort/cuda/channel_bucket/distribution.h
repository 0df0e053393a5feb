// Moving digis to the groups of their buckets.
#pragma once
#include "block.h"
#include "block_scan.h"
#include "common.h"

namespace {

// Digis of a tile: 56 KiB.
constexpr u32 DISTRIBUTED_ITEMS = 14;
constexpr u32 DISTRIBUTED_TILE = THREADS * DISTRIBUTED_ITEMS;
// A tile less a pair, as the first pair may begin before the range.
constexpr u32 DISTRIBUTED_STEP = DISTRIBUTED_TILE - 2;
// A region has no more groups than buckets.
constexpr u32 GROUPS = BUCKETS;
constexpr u32 GROUPS_EACH = GROUPS / THREADS;

struct Distribution {
    u64 staged[DISTRIBUTED_TILE];
    u32 counts[GROUPS];     // of the tile, then where its groups begin in it
    u32 distances[GROUPS];  // from there to where the digis go
    u32 warp_sums[LANES];
    u16 group_of[BUCKETS];
};

// The digis of a tile that a thread has: pairs of positions in the array, which
// is aligned, whatever the tile. The first may begin before the tile.
struct Own {
    u64 digis[DISTRIBUTED_ITEMS];
    u32 offset;  // of the first in the tile, -1 in the first thread of an odd one
    u32 count;   // of the tile

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

// Takes room for a tile's digis in their groups, and turns counts into where
// groups begin in the tile. Barriers after.
__device__ __forceinline__ void place_groups(u32* places, Distribution& shared) {
    u32* own = shared.counts + threadIdx.x * GROUPS_EACH;
    u32 counts[GROUPS_EACH], taken[GROUPS_EACH], sum = 0;
#pragma unroll
    for (u32 i = 0; i < GROUPS_EACH; i++) {
        counts[i] = own[i];
        sum += counts[i];
        // Blocks share a group's place, so that the ends of their runs meet in
        // the cache before they go to memory.
        taken[i] = counts[i] ? atomicAdd(&places[threadIdx.x * GROUPS_EACH + i], counts[i]) : 0;
    }
    u32 total;
    u32 before = block_exclusive_sum<THREADS>(sum, shared.warp_sums, total);
#pragma unroll
    for (u32 i = 0; i < GROUPS_EACH; i++) {
        own[i] = before;
        shared.distances[threadIdx.x * GROUPS_EACH + i] = taken[i] - before;
        before += counts[i];
    }
    __syncthreads();
}

// Moves a tile: to shared memory first, where each group's digis come to lie
// together, then to their places in one run a group. Barriers before and after.
__device__ __forceinline__ void distribute_tile(const u64* from, u64* to, Range tile, Digit digit, u32* places,
                                                Distribution& shared) {
    constexpr u32 RANK_SHIFT = 16;
    constexpr u32 GROUP_MASK = (1u << RANK_SHIFT) - 1;
    static_assert(DISTRIBUTED_TILE <= 1u << RANK_SHIFT && GROUPS <= 1u << RANK_SHIFT, "both fit into a word");
    Own own;
    own.load(from, tile);
    clear<THREADS>(shared.counts, GROUPS);
    __syncthreads();
    u32 ranks[DISTRIBUTED_ITEMS];
#pragma unroll
    for (u32 i = 0; i < DISTRIBUTED_ITEMS; i++) {
        if (!own.has(i)) continue;
        const u32 group = shared.group_of[digit(own.digis[i])];
        ranks[i] = atomicAdd(&shared.counts[group], 1u) << RANK_SHIFT | group;
    }
    __syncthreads();
    place_groups(places, shared);
#pragma unroll
    for (u32 i = 0; i < DISTRIBUTED_ITEMS; i++) {
        if (!own.has(i)) continue;
        shared.staged[shared.counts[ranks[i] & GROUP_MASK] + (ranks[i] >> RANK_SHIFT)] = own.digis[i];
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < tile.count(); i += THREADS) {
        const u64 digi = shared.staged[i];
        to[shared.distances[shared.group_of[digit(digi)]] + i] = digi;
    }
    __syncthreads();
}

}  // namespace
