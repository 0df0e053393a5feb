// The published sort: a block sorts a segment. Chunks of THREADS x ITEMS items are sorted in shared
// memory by radix, then all threads of the block merge neighbouring runs together, from one array
// to the other.
//
// Items have 8 bytes. An `Order` defines the key: `key(item)` with `BITS` bits, and `PADDING`,
// which is larger than any key. Items with equal keys keep their order.
//
// Dynamic shared memory: the items of a chunk or of a tile of merged items (44 KiB at 512 x 11),
// then the counts of the radix sort (8.1 KiB with 32 lanes).
#pragma once
#include "portable.h"
#include "radix_rank.h"
#include "words.h"

// Merges two sorted runs in equal shares (Merge Path: Odeh, Green, Mwassi, Shmueli and Birk 2012).

// Number of items of `a` among the first `diagonal` items of the merged runs. Equal items of `a`
// precede those of `b`. `less(x, y)` compares two items.
template <class Item, class Less>
__device__ __forceinline__ u32 merge_path(const Item* a, u32 a_count, const Item* b, u32 b_count, u32 diagonal,
                                          Less less) {
    u32 low = diagonal > b_count ? diagonal - b_count : 0;
    u32 high = min(diagonal, a_count);
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (less(b[diagonal - 1 - middle], a[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Reads the next ITEMS merged items of two runs of an array, which start at `a` and `b`. After the
// ends of both runs nothing is read, and the items are unchanged.
template <u32 ITEMS, class Item, class Less>
__device__ __forceinline__ void merge_serially(const Item* items, u32 a, u32 a_end, u32 b, u32 b_end,
                                               Item (&merged)[ITEMS], Less less) {
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const bool from_a = a < a_end && (b >= b_end || !less(items[b], items[a]));
        if (from_a) {
            merged[i] = items[a++];
        } else if (b < b_end) {
            merged[i] = items[b++];
        }
    }
}

// The published sort: a block sorts a segment. Chunks of THREADS x ITEMS items are sorted in shared
// memory by radix, then all threads of the block merge neighbouring runs together, from one array
// to the other.
//
// Items have 8 bytes. An `Order` defines the key: `key(item)` with `BITS` bits, and `PADDING`,
// which is larger than any key. Items with equal keys keep their order.
//
// Dynamic shared memory: the items of a chunk or of a tile of merged items (44 KiB at 512 x 11),
// then the counts of the radix sort (8.1 KiB with 32 lanes).

template <u32 THREADS, u32 ITEMS, class Order> struct BlockMerge {
    static constexpr u32 TILE = THREADS * ITEMS;
    static constexpr u32 RADIX_BITS = 7;

    using Rank = RadixRank<THREADS, ITEMS, RADIX_BITS>;

    struct Shared {
        u64 items[TILE];
        typename Rank::Shared rank;
    };

    // Sorts `count` items, with `scratch` of the same size. Called by all threads of the block.
    __device__ __forceinline__ static void sort(u64* items, u64* scratch, u32 count, Shared& shared) {
        u32 levels = 0;
        while (((u64)TILE << levels) < count) levels++;
        for (u32 at = 0; at < count; at += min(TILE, count - at)) {
            // Chosen so that the last level writes to `items`.
            u64* to = levels % 2 ? scratch : items;
            sort_chunk(items + at, to + at, min(TILE, count - at), shared);
        }
        for (u32 level = 0; level < levels; level++) {
            const bool to_items = (levels - level) % 2;
            merge_level(to_items ? scratch : items, to_items ? items : scratch, count, (u64)TILE << level, shared);
        }
    }

  private:
    __device__ __forceinline__ static bool less(u64 left, u64 right) { return Order::key(left) < Order::key(right); }

    // One pass over the chunk in shared memory. Starts and ends with a barrier.
    __device__ __forceinline__ static void radix_pass(Shared& shared, u32 count, u32 shift) {
        const bool has_items = Rank::has_items(count);
        u64 items[ITEMS];
        u32 ranks[ITEMS];
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            if (has_items) items[i] = shared.items[Rank::position(i)];
        }
        const auto digit_of = [&](u32 i) { return (u32)(Order::key(items[i]) >> shift) & (Rank::BINS - 1); };
        Rank::rank(digit_of, has_items, ranks, shared.rank, nullptr);
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            if (has_items) shared.items[ranks[i]] = items[i];
        }
        __syncthreads();
    }

    __device__ static void sort_chunk(const u64* from, u64* to, u32 count, Shared& shared) {
        for_each_word<THREADS>(from, count, [&](u32 i, u64 item) { shared.items[i] = item; });
        // Rounded up to the end of a warp.
        const u32 end = (count + Rank::OF_WARP - 1) / Rank::OF_WARP * Rank::OF_WARP;
        for (u32 i = count + threadIdx.x; i < end; i += THREADS) shared.items[i] = Order::PADDING;
        __syncthreads();
        // Unrolling would exceed the available registers.
#pragma unroll 1
        for (u32 shift = 0; shift < Order::BITS; shift += RADIX_BITS) radix_pass(shared, count, shift);
        write_each_word<THREADS>(to, count, [&](u32 i) { return shared.items[i]; });
        __syncthreads();
    }

    // Merges pairs of sorted runs of `width` items.
    __device__ static void merge_level(const u64* from, u64* to, u32 count, u64 width, Shared& shared) {
        for (u64 at = 0; at < count; at += 2 * width) {
            const u32 a_count = (u32)min(width, count - at);
            const u32 b_count = (u32)min(width, count - at - a_count);
            merge_runs(from + at, a_count, from + at + a_count, b_count, to + at, shared);
        }
    }

    // Merges two runs, one tile of the result after the other.
    __device__ static void merge_runs(const u64* a, u32 a_count, const u64* b, u32 b_count, u64* to, Shared& shared) {
        const u32 count = a_count + b_count;
        u32 a_begin = 0;
        for (u32 begin = 0; begin < count; begin += TILE) {
            const u32 in_tile = min(TILE, count - begin);
            const u32 a_end = merge_path(a, a_count, b, b_count, begin + in_tile, less);
            const u32 from_a = a_end - a_begin, b_begin = begin - a_begin;
            for_each_word<THREADS>(a + a_begin, from_a, [&](u32 i, u64 item) { shared.items[i] = item; });
            for_each_word<THREADS>(b + b_begin, in_tile - from_a,
                                   [&](u32 i, u64 item) { shared.items[from_a + i] = item; });
            __syncthreads();
            merge_tile(shared, from_a, in_tile);
            write_each_word<THREADS>(to + begin, in_tile, [&](u32 i) { return shared.items[i]; });
            __syncthreads();
            a_begin = a_end;
        }
    }

    // Merges `a` and `b`, which are contiguous in shared memory, in place. Starts and ends with a
    // barrier.
    __device__ __forceinline__ static void merge_tile(Shared& shared, u32 a_count, u32 count) {
        const u32 begin = min(threadIdx.x * ITEMS, count);
        const u32 from_a = merge_path(shared.items, a_count, shared.items + a_count, count - a_count, begin, less);
        const u32 from_b = begin - from_a;
        u64 merged[ITEMS] = {};
        merge_serially<ITEMS>(shared.items, from_a, a_count, a_count + from_b, count, merged, less);
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            if (begin + i < count) shared.items[begin + i] = merged[i];
        }
        __syncthreads();
    }
};
