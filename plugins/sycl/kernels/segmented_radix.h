// Radix sort of each segment, least significant digit first: a work-group counts the digits of its
// segment, and then distributes it tile by tile, in every pass. As segmented_radix.cu of sort.
#pragma once
#include "radix_rank.h"

namespace segmented_radix {

constexpr u32 THREADS = 512;
constexpr u32 ITEMS = 8;
constexpr u32 TILE = THREADS * ITEMS;
constexpr u32 RADIX_BITS = 8;

using Rank = RadixRank<THREADS, ITEMS, RADIX_BITS>;

struct Shared {
    alignas(16) u64 keys[TILE];
    Rank::Shared rank;
    u32 tile_starts[Rank::BINS];   // offset of each digit in the tile
    u32 next_offsets[Rank::BINS];  // destination of its next key in the segment
};

struct Digit {
    u32 shift, mask;
    DEVICE u32 operator()(u64 key) const { return u32(key >> shift) & mask; }
};

// Finds the offset of each digit in the sorted segment. Barriers are included.
DEVICE void scan_digits(Item item, const u64* keys, u32 count, Digit digit, Shared& shared) {
    const u32 bin = thread_of(item);
    if (bin < Rank::BINS) shared.next_offsets[bin] = 0;
    group_barrier(item);
    for_each_word<THREADS>(item, keys, count, [&](u32, u64 key) { add_local(shared.next_offsets[digit(key)], 1); });
    group_barrier(item);
    const u32 bin_count = bin < Rank::BINS ? shared.next_offsets[bin] : 0;
    u32 total;
    const u32 before = block_exclusive_sum<THREADS>(item, bin_count, shared.rank.warp_sums, total);
    if (bin < Rank::BINS) shared.next_offsets[bin] = before;
    group_barrier(item);
}

// Loads a tile and sorts it by digit. Includes barriers.
DEVICE void order_tile(Item item, const u64* keys, u32 count, Digit digit, Shared& shared) {
    for_each_word<THREADS>(item, keys, count, [&](u32 i, u64 key) { shared.keys[i] = key; });
    group_barrier(item);
    u64 thread_keys[ITEMS];
    u32 ranks[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (Rank::position(item, i) < count) thread_keys[i] = shared.keys[Rank::position(item, i)];
    }
    const auto digit_of = [&](u32 i) {
        return Rank::position(item, i) < count ? digit(thread_keys[i]) : Rank::BINS - 1;
    };
    Rank::rank(item, digit_of, Rank::has_items(item, count), ranks, shared.rank, shared.tile_starts);
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (Rank::position(item, i) < count) shared.keys[ranks[i]] = thread_keys[i];
    }
    group_barrier(item);
}

// The next tile's keys go after those of this one.
DEVICE void advance(Item item, u32 count, Shared& shared) {
    group_barrier(item);
    const u32 bin = thread_of(item);
    if (bin < Rank::BINS) {
        const u32 end = bin + 1 < Rank::BINS ? shared.tile_starts[bin + 1] : count;
        shared.next_offsets[bin] += end - shared.tile_starts[bin];
    }
    group_barrier(item);
}

// One pass over each segment: keys from `from` to `to` in a stable order by the digit of `bits` bits
// from `shift` on. A work-group a segment.
DEVICE void sort_pass(Item item, const u64* from, u64* to, const u64* offsets, u32 shift, u32 bits, Shared& shared) {
    const u64 begin = offsets[group_of(item)];
    const u32 count = u32(offsets[group_of(item) + 1] - begin);
    if (count == 0) return;
    const Digit digit = {shift, (1u << bits) - 1};
    scan_digits(item, from + begin, count, digit, shared);
    for (u32 at = 0; at < count; at += TILE) {
        const u32 in_tile = min_of(TILE, count - at);
        order_tile(item, from + begin + at, in_tile, digit, shared);
        for (u32 i = thread_of(item); i < in_tile; i += THREADS) {
            const u64 key = shared.keys[i];
            const u32 bin = digit(key);
            to[begin + shared.next_offsets[bin] + i - shared.tile_starts[bin]] = key;
        }
        advance(item, in_tile, shared);
    }
}

}  // namespace segmented_radix
