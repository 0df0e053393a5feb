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
// Bin that counts items that are not digis.
constexpr u32 NO_BIN = BINS;
// With more in a bin comparing all pairs does not pay; and they have to be detected before a byte
// overflows.
constexpr u32 MAX_IN_BIN = 32;

// The bins of a bucket: which is the first, and what a time is multiplied by,
// in units of 2^-32 bins.
struct BucketBins {
    u32 first, factor;
};

struct Bins {
    u32 counts[BIN_WORDS + 4];
    u16 starts[BIN_WORDS + 8];  // start of the first bin of each word
    u16 of_several[CAPACITY / 2];  // the bins that several digis share
    u32 warp_sums[LANES];
};

// Scaling of a region's times to bins.
struct Times {
    u32 mask;   // mask of the bits that differ within a bucket
    u32 first;  // first time in the region
    float bins_a_digi;  // bins per digi and unit of time, times 2^32

    // Rounding must not lead beyond a bucket's last bin.
    __device__ __forceinline__ Times(u32 mask, u32 first, u32 last) : mask(mask), first(first) {
        constexpr float DOWN = 1.0f - 1.0f / (1 << 20);
        bins_a_digi = BINS_A_DIGI * 4294967296.0f * DOWN / ((float)(last - first) + 1.0f);
    }

    __device__ __forceinline__ BucketBins bins(u32 start, u32 count) const {
        constexpr float MAX_COUNT = 4294967040.0f;  // the largest that fits into 32 bits
        return {BINS_A_DIGI * start, (u32)min((float)count * bins_a_digi, MAX_COUNT)};
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

// Start of a bin, after the bins' offsets are known.
__device__ __forceinline__ u32 start_of(const Bins& bins, u32 bin) {
    const u32 before = inclusive_bytes(bins.counts[bin / BINS_A_WORD]) << 8;
    return bins.starts[bin / BINS_A_WORD] + (before >> bin % BINS_A_WORD * 8 & 0xff);
}

__device__ __forceinline__ u32 count_of(const Bins& bins, u32 bin) {
    return bins.counts[bin / BINS_A_WORD] >> bin % BINS_A_WORD * 8 & 0xff;
}

// Barriers before and after.
__device__ __forceinline__ void clear_bins(Bins& bins) {
    clear<THREADS>(bins.counts, BIN_WORDS + 1);
    if (threadIdx.x == 0) bins.starts[NO_BIN / BINS_A_WORD] = 0;
}

// The bins of some words of counts that several digis share: bit `byte * 8 + word` of a mask.
constexpr u32 WORDS_EACH = BIN_WORDS / THREADS;
static_assert(WORDS_EACH == 8 && BINS_A_WORD == 4 && MAX_IN_BIN < 128,
              "a mask has a bit for each bin, a byte one for more");

// Mask of the word's bins with several digis: the upper bit of each byte that is 2 or more.
__device__ __forceinline__ u32 of_several(u32 counts) { return (counts + 0x7e7e7e7eu) & 0x80808080u; }

// Lists the thread's bins that several digis share, from index `at` on.
__device__ __forceinline__ void list_bins_of_several(Bins& bins, u32 mask, u32 at) {
    for (; mask; mask &= mask - 1) {
        const u32 bit = (u32)__ffs((int)mask) - 1;
        bins.of_several[at++] = (u16)((threadIdx.x * WORDS_EACH + bit % 8) * BINS_A_WORD + bit / 8);
    }
}

// Finds where bins begin, and lists those that several digis share; returns how many there are. Barriers
// before and after.
__device__ __forceinline__ u32 scan_bins(Bins& bins) {
    const uint4* counts = reinterpret_cast<const uint4*>(bins.counts + threadIdx.x * WORDS_EACH);
    u32 sums[WORDS_EACH], sum = 0, mask = 0;
#pragma unroll
    for (u32 i = 0; i < WORDS_EACH; i += 4) {
        const uint4 four = counts[i / 4];
        const u32 words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            sums[i + k] = sum_of_bytes(words[k]);
            sum += sums[i + k];
            mask |= of_several(words[k]) >> (7 - (i + k));
        }
    }
    // Both sums at once: neither is larger than half of a word.
    static_assert(CAPACITY < 1u << 16, "digis, and bins that several of them share");
    u32 total;
    const u32 both = block_exclusive_sum<THREADS>((u32)__popc(mask) << 16 | sum, bins.warp_sums, total);
    list_bins_of_several(bins, mask, both >> 16);
    u32 before = both & 0xffff;
    uint4* starts = reinterpret_cast<uint4*>(bins.starts + threadIdx.x * WORDS_EACH);
#pragma unroll
    for (u32 i = 0; i < WORDS_EACH; i += 8) {
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
    return total >> 16;
}

}  // namespace
