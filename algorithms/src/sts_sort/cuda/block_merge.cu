// The published sort: a block sorts a segment by itself, chunks of 512 x 11
// digis in shared memory first, then neighbouring runs are merged by all its
// threads together, from one array to the other.
//
// Dynamic shared memory: the digis of a chunk or of a tile of merged digis
// (44 KiB), then the counts of the radix sort (8.1 KiB with 32 lanes).
#include "digi.h"
#include "merge_path.h"
#include "radix_rank.h"
#include "streams.h"

namespace {

constexpr u32 THREADS = 512;
constexpr u32 ITEMS = 11;
constexpr u32 TILE = THREADS * ITEMS;
constexpr u32 RADIX_BITS = 7;  // 42 bits of key in six passes
constexpr u64 PADDING = ~0ull;  // has the largest key, and comes after digis that have it too

using Rank = RadixRank<THREADS, ITEMS, RADIX_BITS>;

struct Shared {
    u64 digis[TILE];
    Rank::Shared rank;
};

__device__ __forceinline__ bool less(u64 left, u64 right) { return digi_key(left) < digi_key(right); }

// One pass over the chunk in shared memory. Barriers before and after.
__device__ __forceinline__ void radix_pass(Shared& shared, u32 count, u32 shift) {
    const bool has_items = Rank::has_items(count);
    u64 digis[ITEMS];
    u32 ranks[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (has_items) digis[i] = shared.digis[Rank::position(i)];
    }
    const auto digit_of = [&](u32 i) { return (u32)(digi_key(digis[i]) >> shift) & (Rank::BINS - 1); };
    Rank::rank(digit_of, has_items, ranks, shared.rank, nullptr);
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (has_items) shared.digis[ranks[i]] = digis[i];
    }
    __syncthreads();
}

__device__ void sort_chunk(const u64* from, u64* to, u32 count, Shared& shared) {
    for_each_word<THREADS>(from, count, [&](u32 i, u64 digi) { shared.digis[i] = digi; });
    // To the end of a warp.
    const u32 end = (count + Rank::OF_WARP - 1) / Rank::OF_WARP * Rank::OF_WARP;
    for (u32 i = count + threadIdx.x; i < end; i += THREADS) shared.digis[i] = PADDING;
    __syncthreads();
    // Unrolled, it would need more registers than there are.
#pragma unroll 1
    for (u32 shift = 0; shift < KEY_BITS; shift += RADIX_BITS) radix_pass(shared, count, shift);
    write_each_word<THREADS>(to, count, [&](u32 i) { return shared.digis[i]; });
    __syncthreads();
}

// Merges `a` and `b`, which lie in shared memory one after the other, and
// leaves the result in their place. Barriers before and after.
__device__ __forceinline__ void merge_tile(Shared& shared, u32 a_count, u32 count) {
    const u32 begin = min(threadIdx.x * ITEMS, count);
    const u32 from_a = merge_path(shared.digis, a_count, shared.digis + a_count, count - a_count, begin, less);
    const u32 from_b = begin - from_a;
    u64 merged[ITEMS] = {};
    merge_serially<ITEMS>(shared.digis, from_a, a_count, a_count + from_b, count, merged, less);
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (begin + i < count) shared.digis[begin + i] = merged[i];
    }
    __syncthreads();
}

// Merges two runs, a tile of the result after the other.
__device__ void merge_runs(const u64* a, u32 a_count, const u64* b, u32 b_count, u64* to, Shared& shared) {
    const u32 count = a_count + b_count;
    u32 a_begin = 0;
    for (u32 begin = 0; begin < count; begin += TILE) {
        const u32 in_tile = min(TILE, count - begin);
        const u32 a_end = merge_path(a, a_count, b, b_count, begin + in_tile, less);
        const u32 from_a = a_end - a_begin, b_begin = begin - a_begin;
        for_each_word<THREADS>(a + a_begin, from_a, [&](u32 i, u64 digi) { shared.digis[i] = digi; });
        for_each_word<THREADS>(b + b_begin, in_tile - from_a,
                               [&](u32 i, u64 digi) { shared.digis[from_a + i] = digi; });
        __syncthreads();
        merge_tile(shared, from_a, in_tile);
        write_each_word<THREADS>(to + begin, in_tile, [&](u32 i) { return shared.digis[i]; });
        __syncthreads();
        a_begin = a_end;
    }
}

}  // namespace

// Sorts each segment of `digis`, with `scratch` of the same size; segment s is
// at positions begins[s] .. begins[s + 1]. A block a segment.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    block_merge_sort(u64* digis, u64* scratch, const u32* begins) {
    SMEM_DYN(Shared, shared_memory);
    Shared& shared = *shared_memory;
    const u32 begin = begins[blockIdx.x], count = begins[blockIdx.x + 1] - begin;
    u32 levels = 0;
    while (((u64)TILE << levels) < count) levels++;
    for (u32 at = begin; at < begin + count; at += min(TILE, begin + count - at)) {
        // So that the last level writes to `digis`.
        u64* to = levels % 2 ? scratch : digis;
        sort_chunk(digis + at, to + at, min(TILE, begin + count - at), shared);
    }
    for (u32 level = 0; level < levels; level++) {
        const u64 width = (u64)TILE << level;
        const bool to_digis = (levels - level) % 2;
        const u64* from = (to_digis ? scratch : digis) + begin;
        u64* to = (to_digis ? digis : scratch) + begin;
        for (u64 at = 0; at < count; at += 2 * width) {
            const u32 a_count = (u32)min(width, count - at);
            const u32 b_count = (u32)min(width, count - at - a_count);
            merge_runs(from + at, a_count, from + at + a_count, b_count, to + at, shared);
        }
    }
}
KERNEL_EXPORT(block_merge_sort)
KERNEL_SHARED(block_merge_sort, Shared)
