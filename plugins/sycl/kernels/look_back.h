// Prefix sums over all work-groups in a single pass, by decoupled look-back: a tile publishes its own
// sum at once, and the sum of all tiles up to it once it has read those of earlier tiles. As scan.h of
// the native kernels, but for the numbers of tiles: SYCL starts work-groups in any order, so a
// work-group takes the next tile when it starts.
#pragma once
#include "scan.h"

// Status word of a tile: a sum in the lower half, and its kind in the upper half. 0 means not
// published.
constexpr u64 SUM_OF_TILE = 0x100000000;
constexpr u64 SUM_UP_TO_TILE = 0x200000000;

// Status words before those of the tiles: the number of tiles that work-groups have taken.
constexpr u32 TICKETS = 1;

using DeviceWord = sycl::atomic_ref<u64, sycl::memory_order::relaxed, sycl::memory_scope::device,
                                    sycl::access::address_space::global_space>;

// The next tile, for one work-item of a work-group.
DEVICE u32 take_tile(u64* states) { return u32(DeviceWord(states[0]).fetch_add(1)); }

DEVICE u64 wait_for_state(u64* tile) {
    u64 state = DeviceWord(*tile).load();
    while (state < SUM_OF_TILE) state = DeviceWord(*tile).load();
    return state;
}

// Returns the exclusive prefix of a tile whose own sum is `sum`. Called by one full sub-group, which
// reads the status of LANES tiles at a time.
DEVICE u32 sum_before(Item item, u64* states, u32 tile, u32 sum) {
    const u32 lane = lane_of(item);
    u64* tiles = states + TICKETS;
    if (lane == 0) DeviceWord(tiles[tile]).store((tile == 0 ? SUM_UP_TO_TILE : SUM_OF_TILE) | sum);
    u32 before = 0;
    for (u32 next = tile; next > 0; next -= min_of(next, LANES)) {
        // Lanes read the tiles below `next`, the nearest first.
        const u64 state = lane < next ? wait_for_state(&tiles[next - 1 - lane]) : SUM_UP_TO_TILE;
        const u32 ends = vote(item, state >= SUM_UP_TO_TILE);
        const u32 last = ends == 0 ? LANES - 1 : u32(sycl::ctz(ends));
        before += sycl::reduce_over_group(item.get_sub_group(), lane <= last ? u32(state) : 0u, sycl::plus<u32>());
        if (ends != 0) break;
    }
    if (lane == 0 && tile > 0) DeviceWord(tiles[tile]).store(SUM_UP_TO_TILE | (before + sum));
    return before;
}
