// Loading samples and binning them: a block has a contiguous range of samples.
#pragma once
#include "bins.h"

namespace {

constexpr u32 BIN_THREADS = 256;
// Samples of a thread, so that several loads are in flight.
constexpr u32 BIN_ITEMS = 8;

// The samples of a thread, and their bins.
struct ThreadSamples {
    u32 binned[BIN_ITEMS];
    u32 bins[BIN_ITEMS];

    __device__ __forceinline__ ThreadSamples(const u64* samples, u32 count, const Sector* sectors, u32 sector_count,
                                   const u32* first_words) {
        u64 words[BIN_ITEMS];
#pragma unroll
        for (u32 i = 0; i < BIN_ITEMS; i++) {
            words[i] = number(i) < count ? samples[number(i)] : 0;
        }
        SectorOfSample sector(sectors, sector_count, first_words, number(0) - threadIdx.x);
#pragma unroll
        for (u32 i = 0; i < BIN_ITEMS; i++) {
            const Sample sample = sample_of(words[i]);
            binned[i] = binned_word(sample);
            bins[i] = number(i) < count ? sector.bin_of(number(i), sample) : NONE;
        }
    }

    // Index of the thread's `i`-th sample among all samples.
    static __device__ __forceinline__ u32 number(u32 i) {
        return (blockIdx.x * BIN_ITEMS + i) * BIN_THREADS + threadIdx.x;
    }
};

// Calls `put(destination, i)` for each sample of a thread that has a bin: `destination` is its
// index in the bins, `i` its index among the thread's samples. `words` are the offsets of bins.
template <class Put> PORTABLE_INLINE void scatter_samples(const ThreadSamples& own, u32* words, Put put) {
    const u32 lane = threadIdx.x % LANES;
    u32 firsts[BIN_ITEMS], destinations[BIN_ITEMS];
#pragma unroll
    for (u32 i = 0; i < BIN_ITEMS; i++) {
        const u32 bin = own.bins[i];
        const Mates mates = mates_of(bin);
        firsts[i] = mates.first;
        destinations[i] = mates.first == lane && bin != NONE ? atomicAdd(&words[bin], mates.behind) : 0;
    }
#pragma unroll
    for (u32 i = 0; i < BIN_ITEMS; i++) {
        const u32 destination = __shfl_sync(FULL_MASK, destinations[i], (int)firsts[i]) + lane - firsts[i];
        if (own.bins[i] != NONE) put(destination, i);
    }
}

}  // namespace
