// Digis in bins by time, in shared memory: more bins than digis, so that few
// digis share one.
#pragma once
#include "block_scan.h"
#include "common.h"

namespace {

constexpr u32 BINS_A_DIGI = 2;
constexpr u32 BINS = BINS_A_DIGI * CAPACITY;
// A byte counts the digis of a bin.
constexpr u32 BINS_A_WORD = 4;
constexpr u32 BIN_WORDS = BINS / BINS_A_WORD;
// Where what is no digi is counted.
constexpr u32 NO_BIN = BINS;
// With more in a bin it does not pay to compare them all; and they have to be
// told before a byte overflows, and to lie in two words of `first_of_bin`.
constexpr u32 MOST_IN_BIN = 32;

// The bins of a bucket: which is the first, and what a time is multiplied by,
// in units of 2^-32 bins.
struct BucketBins {
    u32 first, factor;
};

struct Bins {
    u32 counts[BIN_WORDS + 4];
    u16 starts[BIN_WORDS + 8];  // where the first bin of a word begins
    // A bit for each position, set where a bin begins; one word before, one after.
    u32 first_of_bin[CAPACITY / 32 + 3];
    u32 warp_sums[LANES];
};

// What the times of a region say of bins.
struct Times {
    u32 mask;   // of the bits that are not the same in all of a bucket
    u32 first;  // of them, in the region
    float bins_a_digi;  // of a bucket, for each unit of time, times 2^32

    // Rounding must not lead beyond a bucket's last bin.
    __device__ __forceinline__ Times(u32 mask, u32 first, u32 last) : mask(mask), first(first) {
        constexpr float DOWN = 1.0f - 1.0f / (1 << 20);
        bins_a_digi = BINS_A_DIGI * 4294967296.0f * DOWN / ((float)(last - first) + 1.0f);
    }

    __device__ __forceinline__ BucketBins bins(u32 start, u32 count) const {
        constexpr float MOST = 4294967040.0f;  // the largest that fits into 32 bits
        return {BINS_A_DIGI * start, (u32)min((float)count * bins_a_digi, MOST)};
    }
};

// The bin of a digi: those of earlier buckets come first, and within a bucket
// digis have their bins by time, as if times were evenly spread.
__device__ __forceinline__ u32 bin_of(u64 digi, BucketBins bucket, const Times& times) {
    const u32 time = (digi_time(digi) & times.mask) - times.first;
    return bucket.first + (u32)((u64)time * bucket.factor >> 32);
}

// Counts a digi; returns how many its bin has so far.
__device__ __forceinline__ u32 add_to_bin(Bins& bins, u32 bin) {
    const u32 shift = bin % BINS_A_WORD * 8;
    return atomicAdd(&bins.counts[bin / BINS_A_WORD], 1u << shift) >> shift & 0xff;
}

// Byte by byte the sum of the bytes up to it.
__device__ __forceinline__ u32 inclusive_bytes(u32 word) { return word * 0x01010101u; }

__device__ __forceinline__ u32 sum_of_bytes(u32 word) { return inclusive_bytes(word) >> 24; }

// Where a bin begins, once they are placed.
__device__ __forceinline__ u32 start_of(const Bins& bins, u32 bin) {
    const u32 before = inclusive_bytes(bins.counts[bin / BINS_A_WORD]) << 8;
    return bins.starts[bin / BINS_A_WORD] + (before >> bin % BINS_A_WORD * 8 & 0xff);
}

// Barriers before and after.
__device__ __forceinline__ void clear_bins(Bins& bins) {
    clear<THREADS>(bins.counts, BIN_WORDS + 1);
    clear<THREADS>(bins.first_of_bin, CAPACITY / 32 + 3);
    if (threadIdx.x == 0) bins.starts[NO_BIN / BINS_A_WORD] = 0;
}

// Finds where bins begin. Barriers before and after.
__device__ __forceinline__ void place_bins(Bins& bins) {
    constexpr u32 WORDS = BIN_WORDS / THREADS;
    static_assert(WORDS % 8 == 0, "whole vectors of starts");
    const uint4* counts = reinterpret_cast<const uint4*>(bins.counts + threadIdx.x * WORDS);
    u32 sums[WORDS], sum = 0;
#pragma unroll
    for (u32 i = 0; i < WORDS; i += 4) {
        const uint4 four = counts[i / 4];
        sums[i] = sum_of_bytes(four.x);
        sums[i + 1] = sum_of_bytes(four.y);
        sums[i + 2] = sum_of_bytes(four.z);
        sums[i + 3] = sum_of_bytes(four.w);
        sum += sums[i] + sums[i + 1] + sums[i + 2] + sums[i + 3];
    }
    u32 total;
    u32 before = block_exclusive_sum<THREADS>(sum, bins.warp_sums, total);
    uint4* starts = reinterpret_cast<uint4*>(bins.starts + threadIdx.x * WORDS);
#pragma unroll
    for (u32 i = 0; i < WORDS; i += 8) {
        u32 pairs[4];
#pragma unroll
        for (u32 pair = 0; pair < 4; pair++) {
            const u32 middle = before + sums[i + 2 * pair];
            pairs[pair] = before | middle << 16;
            before = middle + sums[i + 2 * pair + 1];
        }
        starts[i / 8] = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
    }
    __syncthreads();
}

__device__ __forceinline__ void mark_first_of_bin(Bins& bins, u32 position) {
    atomicOr(&bins.first_of_bin[1 + position / 32], 1u << position % 32);
}

// The positions of the bin that a position lies in, if all are marked, and the
// position after the last digi too.
__device__ __forceinline__ Range bin_around(const Bins& bins, u32 position) {
    const u32* words = bins.first_of_bin + position / 32;
    const u32 bit = position % 32;
    // The highest bit of `up_to` is that of the position, the lowest of `beyond`
    // that of the next one.
    const u32 up_to = (u32)(((u64)words[1] << 32 | words[0]) >> 1 >> bit);
    const u32 beyond = (u32)(((u64)words[2] << 32 | words[1]) >> 1 >> bit);
    return {position - __clz((int)up_to), position + __ffs((int)beyond)};
}

}  // namespace
