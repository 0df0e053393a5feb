// Sorting digis of which many have nearly the same time, so that bins don't
// help: by radix, in shared memory.
#pragma once
#include "common.h"
#include "radix_rank.h"

namespace {

constexpr u32 OVERFULL_DIGIT_BITS = 8;
typedef RadixRank<THREADS, SORTED_ITEMS, OVERFULL_DIGIT_BITS> OverfullRank;

struct Overfull {
    u64 items[CAPACITY];  // digis with their bits in the order of comparison
    OverfullRank::Shared rank;
    u32 differing[2];  // bits that differ between items, low word first
};

// Mask of the bits that differ between items. Barriers before and after.
__device__ __forceinline__ u64 differing_bits(u32 count, Overfull& shared) {
    if (threadIdx.x < 2) shared.differing[threadIdx.x] = 0;
    __syncthreads();
    u64 differing = 0;
    for (u32 i = threadIdx.x; i < count; i += THREADS) differing |= shared.items[i] ^ shared.items[0];
    if ((u32)differing) atomicOr(&shared.differing[0], (u32)differing);
    if (differing >> 32) atomicOr(&shared.differing[1], (u32)(differing >> 32));
    __syncthreads();
    return (u64)shared.differing[1] << 32 | shared.differing[0];
}

// Brings items into a stable order by a digit. Barriers before and after.
__device__ __forceinline__ void sort_by_digit(u32 count, u32 shift, Overfull& shared) {
    constexpr u32 LAST_DIGIT = (1u << OVERFULL_DIGIT_BITS) - 1;
    u64 items[SORTED_ITEMS];
    u32 ranks[SORTED_ITEMS];
#pragma unroll
    for (u32 i = 0; i < SORTED_ITEMS; i++) {
        const u32 at = OverfullRank::position(i);
        items[i] = at < count ? shared.items[at] : ~0ull;
    }
    const auto digit = [&](u32 i) { return (u32)(items[i] >> shift) & LAST_DIGIT; };
    OverfullRank::rank(digit, OverfullRank::has_items(count), ranks, shared.rank, nullptr);
    __syncthreads();
    if (OverfullRank::has_items(count)) {
#pragma unroll
        for (u32 i = 0; i < SORTED_ITEMS; i++)
            if (OverfullRank::position(i) < count) shared.items[ranks[i]] = items[i];
    }
    __syncthreads();
}

// Sorts by the bits of the key, or by all bits, so that the result is deterministic. Barriers
// before and after.
__device__ __forceinline__ void sort_overfull(const u64* from, u64* to, u32 count, Overfull& shared) {
    for_each_word<THREADS>(from, count, [&](u32 i, u64 digi) { shared.items[i] = ordered_from_digi(digi); });
    __syncthreads();
    const u64 differing = differing_bits(count, shared);
    for (u32 shift = KEEPS_ARRIVAL ? 64 - KEY_BITS : 0; shift < 64; shift += OVERFULL_DIGIT_BITS) {
        if (differing >> shift & ((1u << OVERFULL_DIGIT_BITS) - 1)) sort_by_digit(count, shift, shared);
    }
    write_each_word<THREADS>(to, count, [&](u32 i) { return digi_from_ordered(shared.items[i]); });
    __syncthreads();
}

// Sorts all that are listed: see `sort_buckets`.
__device__ __forceinline__ void sort_all_overfull(const u64* from, u64* to, const RangeList* crowded, Overfull& shared) {
    for (u32 i = blockIdx.x; i < crowded->count; i += gridDim.x) {
        const Range range = crowded->ranges[i];
        sort_overfull(from + range.begin, to + range.begin, range.count(), shared);
    }
}

}  // namespace
