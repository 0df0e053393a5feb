// Sorts groups that do not fit into shared memory because many clusters have nearly the same time:
// a block per group, by radix. Each byte of the key that differs within the group takes a pass.
#pragma once
#include "sorting.h"
#include "radix_rank.h"

namespace time_bins {
namespace {

constexpr u32 DIGIT_BITS = 8;
constexpr u32 DIGITS = 1u << DIGIT_BITS;
typedef RadixRank<FEW_THREADS, ITEMS, DIGIT_BITS> OverfullRank;

struct OverfullShared {
    OverfullRank::Shared rank;
    u32 next_offsets[DIGITS];  // first counts; then the destination of each digit's next entry
    u32 starts[DIGITS];  // offsets of digits in a tile
    u32 warp_sums[LANES];
    u32 differing[2];  // bits that differ between keys, low word first
};

__device__ __forceinline__ u32 digit_of(u64 key, u32 shift) { return (u32)(key >> shift) & (DIGITS - 1); }

// Mask of the bits that differ between keys. Barriers after.
__device__ __forceinline__ u64 differing_bits(const Entry* entries, u32 count, OverfullShared& shared) {
    if (threadIdx.x < 2) shared.differing[threadIdx.x] = 0;
    __syncthreads();
    const u64 one = key_of(entries[0]);
    u64 differing = 0;
    for (u32 i = threadIdx.x; i < count; i += FEW_THREADS) differing |= key_of(entries[i]) ^ one;
    if ((u32)differing) atomicOr(&shared.differing[0], (u32)differing);
    if (differing >> 32) atomicOr(&shared.differing[1], (u32)(differing >> 32));
    __syncthreads();
    return (u64)shared.differing[1] << 32 | shared.differing[0];
}

// Finds where the entries of each digit begin. Barriers before and after.
__device__ __forceinline__ void scan_digits(const Entry* entries, u32 count, u32 shift, OverfullShared& shared) {
    if (threadIdx.x < DIGITS) shared.next_offsets[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += FEW_THREADS)
        atomicAdd(&shared.next_offsets[digit_of(key_of(entries[i]), shift)], 1u);
    __syncthreads();
    const u32 digit_count = threadIdx.x < DIGITS ? shared.next_offsets[threadIdx.x] : 0;
    u32 total;
    const u32 before = block_exclusive_sum<FEW_THREADS>(digit_count, shared.warp_sums, total);
    if (threadIdx.x < DIGITS) shared.next_offsets[threadIdx.x] = before;
    __syncthreads();
}

// Moves a tile in the order of a digit, after the tiles before it. Barriers before and after.
__device__ __forceinline__ void move_tile(const Entry* from, u32 count, u32 shift, Entry* to, OverfullShared& shared) {
    u64 keys[ITEMS];
    u32 ranks[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 at = OverfullRank::position(i);
        keys[i] = at < count ? key_of(from[at]) : ~0ull;
    }
    const auto digit = [&](u32 i) { return digit_of(keys[i], shift); };
    OverfullRank::rank(digit, OverfullRank::has_items(count), ranks, shared.rank, shared.starts);
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (OverfullRank::position(i) >= count) continue;
        const u32 key_digit = digit(i);
        to[shared.next_offsets[key_digit] + ranks[i] - shared.starts[key_digit]] = entry_of(keys[i]);
    }
    __syncthreads();
    // Missing elements of the last tile count as of the last digit, which has no successor.
    if (threadIdx.x < DIGITS) {
        const u32 next = threadIdx.x + 1 < DIGITS ? shared.starts[threadIdx.x + 1] : FEW;
        shared.next_offsets[threadIdx.x] += next - shared.starts[threadIdx.x];
    }
    __syncthreads();
}

// Sorts entries into `to`, and overwrites them.
__device__ __forceinline__ void sort_overfull(Entry* entries, Entry* to, u32 count, OverfullShared& shared) {
    const u64 differing = differing_bits(entries, count, shared);
    Entry *from = entries, *into = to;
    for (u32 shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (digit_of(differing, shift) == 0) continue;
        scan_digits(from, count, shift, shared);
        for (u32 first = 0; first < count; first += FEW)
            move_tile(from + first, min(FEW, count - first), shift, into, shared);
        Entry* const moved = into;
        into = from;
        from = moved;
    }
    if (from == to) return;
    for (u32 i = threadIdx.x; i < count; i += FEW_THREADS) to[i] = from[i];
}

}  // namespace
}  // namespace time_bins
