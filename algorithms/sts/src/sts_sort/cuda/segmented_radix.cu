// Radix sort of each segment, least significant digit first, as CUB's
// DeviceSegmentedRadixSort does it: a block counts the digits of its segment,
// and then distributes it tile by tile, in every pass.
//
// Dynamic shared memory: a tile (32 KiB) and the counts (19 KiB with 32 lanes).

#include "radix_rank.h"
#include "words.h"

namespace {

// A pass of a radix sort over a segment by one block: digits are counted, then keys are distributed
// tile by tile.

constexpr u32 THREADS = 512;
// Two blocks share a multiprocessor, which leaves 64 registers to a thread.
constexpr u32 BLOCKS = 2;
constexpr u32 ITEMS = 8;
constexpr u32 TILE = THREADS * ITEMS;
constexpr u32 RADIX_BITS = 8;

using Rank = RadixRank<THREADS, ITEMS, RADIX_BITS>;

struct Shared {
    u64 keys[TILE];
    Rank::Shared rank;
    u32 tile_starts[Rank::BINS];  // offset of each digit in the tile
    u32 next_offsets[Rank::BINS];  // destination of its next key in the segment
};

struct Digit {
    u32 shift, mask;
    __device__ __forceinline__ u32 operator()(u64 key) const { return (u32)(key >> shift) & mask; }
};

// Finds the offset of each digit in the sorted segment. Barriers are included.
__device__ void scan_digits(const u64* keys, u32 count, Digit digit, Shared& shared) {
    const u32 bin = threadIdx.x;
    if (bin < Rank::BINS) shared.next_offsets[bin] = 0;
    __syncthreads();
    for_each_word<THREADS>(keys, count, [&](u32, u64 key) { atomicAdd(&shared.next_offsets[digit(key)], 1u); });
    __syncthreads();
    const u32 bin_count = bin < Rank::BINS ? shared.next_offsets[bin] : 0;
    u32 total;
    const u32 before = block_exclusive_sum<THREADS>(bin_count, shared.rank.warp_sums, total);
    if (bin < Rank::BINS) shared.next_offsets[bin] = before;
    __syncthreads();
}

// Loads a tile and sorts it by digit. `ranks` are the new indices of a thread's items. Includes
// barriers.
__device__ __forceinline__ void order_tile(const u64* keys, u32 count, Digit digit, u32 (&ranks)[ITEMS],
                                           Shared& shared) {
    for_each_word<THREADS>(keys, count, [&](u32 i, u64 key) { shared.keys[i] = key; });
    __syncthreads();
    u64 thread_keys[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (Rank::position(i) < count) thread_keys[i] = shared.keys[Rank::position(i)];
    }
    const auto digit_of = [&](u32 i) { return Rank::position(i) < count ? digit(thread_keys[i]) : Rank::BINS - 1; };
    Rank::rank(digit_of, Rank::has_items(count), ranks, shared.rank, shared.tile_starts);
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (Rank::position(i) < count) shared.keys[ranks[i]] = thread_keys[i];
    }
    __syncthreads();
}

__device__ __forceinline__ u32 destination_of(u32 at, u32 digit, const Shared& shared) {
    return shared.next_offsets[digit] + at - shared.tile_starts[digit];
}

// The next tile's keys go after those of this one.
__device__ __forceinline__ void advance(u32 count, Shared& shared) {
    __syncthreads();
    const u32 bin = threadIdx.x;
    if (bin < Rank::BINS) {
        const u32 end = bin + 1 < Rank::BINS ? shared.tile_starts[bin + 1] : count;
        shared.next_offsets[bin] += end - shared.tile_starts[bin];
    }
    __syncthreads();
}

__device__ __forceinline__ Digit digit_of(u32 shift, u32 bits) { return {shift, (1u << bits) - 1}; }

// One pass over each segment: keys from `from` to `to` in a stable order by the
// digit of `bits` bits from `shift` on. Segment s is at positions segment_offsets[s] ..
// segment_offsets[s + 1]. A block a segment.
__device__ __forceinline__ void sort_pass(const u64* from, u64* to, const u32* segment_offsets, u32 shift, u32 bits,
                                          Shared& shared) {
    const u32 begin = segment_offsets[blockIdx.x], count = segment_offsets[blockIdx.x + 1] - begin;
    if (count == 0) return;
    const Digit digit = digit_of(shift, bits);
    scan_digits(from + begin, count, digit, shared);
    for (u32 at = 0; at < count; at += TILE) {
        const u32 in_tile = min(TILE, count - at);
        u32 ranks[ITEMS];
        order_tile(from + begin + at, in_tile, digit, ranks, shared);
        for (u32 i = threadIdx.x; i < in_tile; i += THREADS) {
            const u64 key = shared.keys[i];
            to[begin + destination_of(i, digit(key), shared)] = key;
        }
        advance(in_tile, shared);
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    segmented_radix_pass(const u64* from, u64* to, const u32* segment_offsets, u32 shift, u32 bits) {
    SMEM_DYN(Shared, shared_memory);
    sort_pass(from, to, segment_offsets, shift, bits, *shared_memory);
}
KERNEL_EXPORT(segmented_radix_pass, SegmentedRadixPass)
KERNEL_SHARED(segmented_radix_pass, Shared)
