// Stable ranks of digits in a tile.
//
// The tile is warp-striped: item i of a lane is at position (warp * ITEMS + i) * LANES + lane, so
// that a warp has contiguous positions.
#pragma once
#include "portable.h"
#include "scan.h"

// The lanes with the same digit as this lane.
template <u32 BITS>
__device__ __forceinline__ lanemask_t lanes_with(u32 digit) {
    lanemask_t same = FULL_MASK;
#pragma unroll
    for (u32 bit = 0; bit < BITS; bit++) {
        const bool set = digit >> bit & 1;
        const lanemask_t vote = __ballot_sync(FULL_MASK, set);
        same &= set ? vote : ~vote;
    }
    return same;
}

template <u32 THREADS, u32 ITEMS, u32 BITS>
struct RadixRank {
    static constexpr u32 WARPS = THREADS / LANES;
    static constexpr u32 BINS = 1u << BITS;
    static constexpr u32 RANK_BITS = 16;
    static_assert(ITEMS * LANES < 1u << RANK_BITS, "a rank and a digit in a word");
    static_assert(BINS <= THREADS, "a thread for each bin");

    struct Shared {
        // Number of items of each digit that the warp has processed; later the rank of the first of
        // them.
        u32 counts[WARPS][BINS];
        u32 warp_sums[LANES];
    };

    // Position of this thread's item i in the tile.
    __device__ __forceinline__ static u32 position(u32 i) {
        return (threadIdx.x / LANES * ITEMS + i) * LANES + threadIdx.x % LANES;
    }

    // Positions per warp.
    static constexpr u32 OF_WARP = ITEMS * LANES;

    // True if this warp has any of the first `count` positions.
    __device__ __forceinline__ static bool has_items(u32 count) { return threadIdx.x / LANES * OF_WARP < count; }

    // Sets `ranks` to the positions of the items in a stable order by digit. A warp without an item
    // that `is_needed` gets no ranks; other warps must have a digit at each position, the largest
    // digit at positions without an item. If `starts` is not null, it receives the first position
    // of each digit. `shared` can be reused after a barrier.
    template <class DigitOf>
    __device__ __forceinline__ static void rank(DigitOf digit_of, bool is_needed, u32 (&ranks)[ITEMS], Shared& shared,
                                                u32* starts) {
        const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
        u32* counts = shared.counts[warp];
        for (u32 bin = lane; bin < BINS; bin += LANES) counts[bin] = 0;
        __syncwarp();
        if (is_needed) rank_in_warp(digit_of, ranks, counts);
        __syncthreads();
        sum_over_warps(shared, starts);
        __syncthreads();
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
    __device__ __forceinline__ static void rank_in_warp(DigitOf digit_of, u32 (&ranks)[ITEMS], u32* counts) {
        const u32 lane = threadIdx.x % LANES;
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            const u32 digit = digit_of(i);
            const lanemask_t same = lanes_with<BITS>(digit);
            const u32 before = popc(same & lanemask_lt(lane));
            const u32 earlier = counts[digit];
            __syncwarp();
            if (before == 0) counts[digit] = earlier + popc(same);
            __syncwarp();
            ranks[i] = digit << RANK_BITS | (earlier + before);
        }
    }

    // Prefix sum, by digit and then by warp.
    __device__ __forceinline__ static void sum_over_warps(Shared& shared, u32* starts) {
        const u32 bin = threadIdx.x;
        u32 count = 0;
        if (bin < BINS) {
#pragma unroll
            for (u32 warp = 0; warp < WARPS; warp++) count += shared.counts[warp][bin];
        }
        u32 total;
        u32 before = block_exclusive_sum<THREADS>(count, shared.warp_sums, total);
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
