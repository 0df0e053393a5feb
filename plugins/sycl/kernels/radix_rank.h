// Stable ranks of digits in a tile. As radix_rank.h of the native kernels.
//
// The tile is striped over sub-groups: item i of a lane is at position (warp * ITEMS + i) * LANES +
// lane, so that a sub-group has contiguous positions.
#pragma once
#include "scan.h"

// The lanes with the same digit as this lane.
template <u32 BITS> DEVICE u32 lanes_with(Item item, u32 digit) {
    u32 same = ALL_LANES;
    unrolled<BITS>([&](u32 bit) ALWAYS_INLINE {
        const bool set = digit >> bit & 1;
        const u32 votes = vote(item, set);
        same &= set ? votes : ~votes;
    });
    return same;
}

template <u32 THREADS, u32 ITEMS, u32 BITS> struct RadixRank {
    static constexpr u32 WARPS = THREADS / LANES;
    static constexpr u32 BINS = 1u << BITS;
    static constexpr u32 RANK_BITS = 16;
    static_assert(ITEMS * LANES < 1u << RANK_BITS, "a rank and a digit in a word");
    static_assert(BINS <= THREADS, "a work-item for each bin");

    struct Shared {
        // Number of items of each digit that the sub-group has processed; later the rank of the first
        // of them.
        u32 counts[WARPS][BINS];
        u32 warp_sums[LANES];
    };

    // Position of this work-item's item i in the tile.
    DEVICE static u32 position(Item item, u32 i) { return (warp_of(item) * ITEMS + i) * LANES + lane_of(item); }

    // Positions per sub-group.
    static constexpr u32 OF_WARP = ITEMS * LANES;

    // True if this sub-group has any of the first `count` positions.
    DEVICE static bool has_items(Item item, u32 count) { return warp_of(item) * OF_WARP < count; }

    // Sets `ranks` to the positions of the items in a stable order by digit. A sub-group without an
    // item that `is_needed` gets no ranks; others must have a digit at each position, the largest
    // digit at positions without an item. If `starts` is not null, it receives the first position of
    // each digit. `shared` can be reused after a barrier.
    template <class DigitOf>
    DEVICE static void rank(Item item, DigitOf digit_of, bool is_needed, u32 (&ranks)[ITEMS], Shared& shared,
                            u32* starts) {
        const u32 warp = warp_of(item);
        u32* counts = shared.counts[warp];
        for (u32 bin = lane_of(item); bin < BINS; bin += LANES) counts[bin] = 0;
        warp_barrier(item);
        if (is_needed) rank_in_warp(item, digit_of, ranks, counts);
        group_barrier(item);
        sum_over_warps(item, shared, starts);
        group_barrier(item);
        if (!is_needed) return;
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            const u32 rank_in_warp = ranks[i] & ((1u << RANK_BITS) - 1);
            ranks[i] = counts[ranks[i] >> RANK_BITS] + rank_in_warp;
        }
    }

  private:
    // To save registers, a digit is stored in the bits above its rank.
    template <class DigitOf>
    DEVICE static void rank_in_warp(Item item, DigitOf digit_of, u32 (&ranks)[ITEMS], u32* counts) {
        const u32 below = lanes_below(lane_of(item));
        unrolled<ITEMS>([&](u32 i) ALWAYS_INLINE {
            const u32 digit = digit_of(i);
            const u32 same = lanes_with<BITS>(item, digit);
            const u32 before = u32(sycl::popcount(same & below));
            const u32 earlier = counts[digit];
            warp_barrier(item);
            if (before == 0) counts[digit] = earlier + u32(sycl::popcount(same));
            warp_barrier(item);
            ranks[i] = digit << RANK_BITS | (earlier + before);
        });
    }

    // Prefix sum, by digit and then by sub-group.
    DEVICE static void sum_over_warps(Item item, Shared& shared, u32* starts) {
        const u32 bin = thread_of(item);
        u32 count = 0;
        if (bin < BINS) {
#pragma unroll
            for (u32 warp = 0; warp < WARPS; warp++) count += shared.counts[warp][bin];
        }
        u32 total;
        u32 before = block_exclusive_sum<THREADS>(item, count, shared.warp_sums, total);
        if (bin >= BINS) return;
        if (starts) starts[bin] = before;
#pragma unroll
        for (u32 warp = 0; warp < WARPS; warp++) {
            const u32 bin_count = shared.counts[warp][bin];
            shared.counts[warp][bin] = before;
            before += bin_count;
        }
    }
};
