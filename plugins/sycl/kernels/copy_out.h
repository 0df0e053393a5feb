// Digis in slots, one per message of their microslices, are copied to a contiguous array: their
// offsets first, by one scan over all microslices, then a work-group copies those of a microslice. As
// copy_out.cu of unpack.
#pragma once
#include "look_back.h"
#include "raw.h"

namespace copy_out {

constexpr u32 THREADS = 512;

struct Shared {
    u32 warp_sums[LANES];
    u32 before_group, tile;
};

// Status words for the scan over `count` microslices, which the kernel before clears.
DEVICE u32 state_count(u32 count) { return TICKETS + (count + THREADS - 1) / THREADS; }

DEVICE void clear_states(Item item, u32 count, u64* states) {
    if (group_of(item) != 0) return;
    for (u32 i = thread_of(item); i < state_count(count); i += THREADS) states[i] = 0;
}

// Offset of the digis of each microslice. A work-item per microslice.
DEVICE void find_offsets(Item item, const Counts* counts, u32 count, u64* states, u32* offsets, Shared& shared) {
    if (thread_of(item) == 0) shared.tile = take_tile(states);
    group_barrier(item);
    const u32 tile = shared.tile;
    const u32 number = tile * THREADS + thread_of(item);
    const u32 digi_count = number < count ? counts[number].digis : 0;
    u32 total;
    const u32 before = block_exclusive_sum<THREADS>(item, digi_count, shared.warp_sums, total);
    if (warp_of(item) == 0) {
        const u32 sum = sum_before(item, states, tile, total);
        if (thread_of(item) == 0) shared.before_group = sum;
    }
    group_barrier(item);
    if (number < count) offsets[number] = shared.before_group + before;
}

// Copies the digis of a microslice. A work-group per microslice.
DEVICE void copy(Item item, const Counts* counts, const Microslice* microslices, const u32* offsets,
                 const u64* slots, u64* digis) {
    const u32 number = group_of(item);
    const u64* from = slots + microslices[number].first_message;
    u64* to = digis + offsets[number];
    for (u32 i = thread_of(item); i < counts[number].digis; i += THREADS) to[i] = from[i];
}

}  // namespace copy_out
