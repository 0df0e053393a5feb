// The published sort: a work-group sorts a segment. Chunks of THREADS x ITEMS digis are sorted in
// local memory by radix, then all work-items merge neighbouring runs together, from one array to the
// other. As block_merge.h of the native kernels.
#pragma once
#include "radix_rank.h"

// Channel and time of a digi: 11 bits and 31.
constexpr u32 KEY_BITS = 42;
DEVICE u64 digi_key(u64 digi) { return (digi >> 37 & 0x7ff) << 31 | (digi & 0x7fffffff); }
DEVICE bool comes_before(u64 left, u64 right) { return digi_key(left) < digi_key(right); }

// Merges two sorted runs in equal shares (Merge Path: Odeh, Green, Mwassi, Shmueli and Birk 2012):
// the number of digis of `a` among the first `diagonal` of the merged runs. Equal digis of `a`
// precede those of `b`.
DEVICE u32 merge_path(const u64* a, u32 a_count, const u64* b, u32 b_count, u32 diagonal) {
    u32 low = diagonal > b_count ? diagonal - b_count : 0;
    u32 high = min_of(diagonal, a_count);
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (comes_before(b[diagonal - 1 - middle], a[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

template <u32 THREADS, u32 ITEMS> struct BlockMerge {
    static constexpr u32 TILE = THREADS * ITEMS;
    static constexpr u32 RADIX_BITS = 7;
    static constexpr u64 PADDING = ~0ull;  // comes after digis that have the largest key too

    using Rank = RadixRank<THREADS, ITEMS, RADIX_BITS>;

    struct Shared {
        alignas(16) u64 digis[TILE];
        typename Rank::Shared rank;
    };

    // Sorts the segment of this work-group, with `scratch` of the size of all of them.
    DEVICE static void sort_segment(Item item, u64* digis, u64* scratch, const u64* offsets, Shared& shared) {
        const u64 begin = offsets[group_of(item)];
        const u32 count = u32(offsets[group_of(item) + 1] - begin);
        sort(item, digis + begin, scratch + begin, count, shared);
    }

  private:
    DEVICE static void sort(Item item, u64* digis, u64* scratch, u32 count, Shared& shared) {
        u32 levels = 0;
        while ((u64(TILE) << levels) < count) levels++;
        for (u32 at = 0; at < count; at += min_of(TILE, count - at)) {
            // Chosen so that the last level writes to `digis`.
            u64* to = levels % 2 ? scratch : digis;
            sort_chunk(item, digis + at, to + at, min_of(TILE, count - at), shared);
        }
        for (u32 level = 0; level < levels; level++) {
            const bool to_digis = (levels - level) % 2;
            merge_level(item, to_digis ? scratch : digis, to_digis ? digis : scratch, count, u64(TILE) << level, shared);
        }
    }

    // One pass over the chunk in local memory. Starts and ends with a barrier.
    DEVICE static void radix_pass(Item item, Shared& shared, u32 count, u32 shift) {
        const bool has_items = Rank::has_items(item, count);
        u64 digis[ITEMS];
        u32 ranks[ITEMS];
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            if (has_items) digis[i] = shared.digis[Rank::position(item, i)];
        }
        const auto digit_of = [&](u32 i) { return u32(digi_key(digis[i]) >> shift) & (Rank::BINS - 1); };
        Rank::rank(item, digit_of, has_items, ranks, shared.rank, nullptr);
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            if (has_items) shared.digis[ranks[i]] = digis[i];
        }
        group_barrier(item);
    }

    DEVICE static void sort_chunk(Item item, const u64* from, u64* to, u32 count, Shared& shared) {
        for_each_word<THREADS>(item, from, count, [&](u32 i, u64 digi) { shared.digis[i] = digi; });
        // Rounded up to the end of a sub-group.
        const u32 end = (count + Rank::OF_WARP - 1) / Rank::OF_WARP * Rank::OF_WARP;
        for (u32 i = count + thread_of(item); i < end; i += THREADS) shared.digis[i] = PADDING;
        group_barrier(item);
        // Unrolling would exceed the available registers.
#pragma unroll 1
        for (u32 shift = 0; shift < KEY_BITS; shift += RADIX_BITS) radix_pass(item, shared, count, shift);
        write_each_word<THREADS>(item, to, count, [&](u32 i) { return shared.digis[i]; });
        group_barrier(item);
    }

    // Merges pairs of sorted runs of `width` digis.
    DEVICE static void merge_level(Item item, const u64* from, u64* to, u32 count, u64 width, Shared& shared) {
        for (u64 at = 0; at < count; at += 2 * width) {
            const u32 a_count = u32(min_of(width, count - at));
            const u32 b_count = u32(min_of(width, count - at - a_count));
            merge_runs(item, from + at, a_count, from + at + a_count, b_count, to + at, shared);
        }
    }

    // Merges two runs, one tile of the result after the other.
    DEVICE static void merge_runs(Item item, const u64* a, u32 a_count, const u64* b, u32 b_count, u64* to,
                                  Shared& shared) {
        const u32 count = a_count + b_count;
        u32 a_begin = 0;
        for (u32 begin = 0; begin < count; begin += TILE) {
            const u32 in_tile = min_of(TILE, count - begin);
            const u32 a_end = merge_path(a, a_count, b, b_count, begin + in_tile);
            const u32 from_a = a_end - a_begin;
            const u32 b_begin = begin - a_begin;
            for_each_word<THREADS>(item, a + a_begin, from_a, [&](u32 i, u64 digi) { shared.digis[i] = digi; });
            for_each_word<THREADS>(item, b + b_begin, in_tile - from_a,
                                   [&](u32 i, u64 digi) { shared.digis[from_a + i] = digi; });
            group_barrier(item);
            merge_tile(item, shared, from_a, in_tile);
            write_each_word<THREADS>(item, to + begin, in_tile, [&](u32 i) { return shared.digis[i]; });
            group_barrier(item);
            a_begin = a_end;
        }
    }

    // Merges `a` and `b`, which are contiguous in local memory, where they are. Starts and ends with a
    // barrier.
    DEVICE static void merge_tile(Item item, Shared& shared, u32 a_count, u32 count) {
        const u64* digis = shared.digis;
        const u32 begin = min_of(thread_of(item) * ITEMS, count);
        u32 a = merge_path(digis, a_count, digis + a_count, count - a_count, begin);
        u32 b = a_count + begin - a;
        u64 merged[ITEMS] = {};
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            const bool from_a = a < a_count && (b >= count || !comes_before(digis[b], digis[a]));
            if (from_a) {
                merged[i] = digis[a++];
            } else if (b < count) {
                merged[i] = digis[b++];
            }
        }
        group_barrier(item);
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            if (begin + i < count) shared.digis[begin + i] = merged[i];
        }
        group_barrier(item);
    }
};
