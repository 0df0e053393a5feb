// Single-pass prefix sums by decoupled look-back: a tile publishes its own sum (aggregate) at once,
// and the sum of all tiles up to it (inclusive prefix) once it has read those of earlier tiles.
#pragma once
#include "portable.h"

// Status word of a tile: a sum in the lower half, and its kind in the upper half. 0 means not
// published.
constexpr u64 SUM_OF_TILE = 0x100000000;
constexpr u64 SUM_UP_TO_TILE = 0x200000000;

PORTABLE_INLINE u64 wait_for_state(const u64* tile) {
    u64 state = load_relaxed(tile);
    while (state < SUM_OF_TILE) {
        __nanosleep(20);
        state = load_relaxed(tile);
    }
    return state;
}

// Returns the exclusive prefix of a tile whose own sum is `sum`. Called by one full warp, which
// reads the status of LANES tiles at a time. Blocks of earlier tiles must have started.
PORTABLE_INLINE u32 sum_before(u64* states, u32 tile, u32 sum) {
    const u32 lane = threadIdx.x % LANES;
    if (lane == 0) store_relaxed(&states[tile], (tile == 0 ? SUM_UP_TO_TILE : SUM_OF_TILE) | sum);
    u32 before = 0;
    for (u32 next = tile; next > 0; next -= min(next, (u32)LANES)) {
        // Lanes read the tiles below `next`, the nearest first.
        const u64 state = lane < next ? wait_for_state(&states[next - 1 - lane]) : SUM_UP_TO_TILE;
        const lanemask_t ends = __ballot_sync(FULL_MASK, state >= SUM_UP_TO_TILE);
        const u32 last = ends == 0 ? LANES - 1 : (u32)ffs(ends) - 1;
        before += __reduce_add_sync(FULL_MASK, lane <= last ? (u32)state : 0u);
        if (ends != 0) break;
    }
    if (lane == 0 && tile > 0) store_relaxed(&states[tile], SUM_UP_TO_TILE | (before + sum));
    return before;
}
