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
