// Pads in groups of a cache line: a work-group stages the charges of eight pads in local memory, a
// charge for each work-item, and then a work-item for each pad iterates over them. As cache_line.cu
// of noisy-pads.
#pragma once
#include "pads.h"

namespace cache_line {

constexpr u32 THREADS = 64;
// Consecutive tiles in time that are staged at once.
constexpr u32 STAGED = THREADS / TILE;

struct Shared {
    u16 charges[THREADS];
};

// Activity of each pad of each group. A work-group for each group of each sector.
DEVICE void find(Item item, const u16* maps, const GroupWords* groups, PadActivity* activity, u32 group_count,
                 u32 tile_rows, Thresholds thresholds, Shared& staged) {
    const u32 thread = thread_of(item);
    const u32 sector = group_of(item) / group_count;
    const Group group = group_at(groups, group_of(item) % group_count);
    const u16* map = maps + first_tile(sector, tile_rows, group) * TILE;
    const u32 tile = thread / TILE;
    const u32 in_tile = thread % TILE;
    Counts counts;
    for (u32 row = 0; row < tile_rows; row += STAGED) {
        const u64 at = u64(row + tile) * TILES_IN_ROW * TILE + in_tile;
        staged.charges[thread] = row + tile < tile_rows ? map[at] : u16(0);
        group_barrier(item);
        if (thread < TILE_PADS) {
#pragma unroll
            for (u32 time = 0; time < STAGED * TILE_TIMES; time++) {
                counts.add(staged.charges[time * TILE_PADS + thread]);
            }
        }
        group_barrier(item);
    }
    if (thread < group.pads) {
        activity[sector * PADS_IN_SECTOR + group.first_pad + thread] =
            activity_of(counts.charges, counts.longest_run, counts.largest, thresholds);
    }
}

}  // namespace cache_line
