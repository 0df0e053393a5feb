// A page in shared memory, and the lists that its samples are made of.
#pragma once
#include "../pages/page.h"

namespace {

constexpr u32 THREADS = 256;
// Of a multiprocessor: as many as have room for 40 registers a thread; older ones have
// 1024 threads at most.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr u32 RESIDENT_BLOCKS = 4;
#else
constexpr u32 RESIDENT_BLOCKS = 6;
#endif

// A sound block has ten cards at most, so no more of it can be in the next page: the
// words in front, all masks, all samples.
constexpr u32 MAX_CONTINUATION = 2 + MAX_FECS_IN_HALF * (2 + 10 + CHANNELS_IN_LINK * 12 / 8);
constexpr u32 STAGED_BYTES = PAGE_BYTES + (MAX_CONTINUATION + GRANULE - 1) / GRANULE * GRANULE;
// Samples of 10 bits, and of nothing else, would be fewer.
constexpr u32 MAX_SAMPLES = 7680;
// Samples have numbers, so that a group's have their places in one aligned piece of the
// list that comes out: the first one of a page may have any number below this.
constexpr u32 GROUP = 32;
constexpr u32 MAX_NUMBERS = MAX_SAMPLES + GROUP;

// Samples that lie together: of a dense block, of a link's block, of a row's record.
// Each has one sample at least.
struct SampleRun {
    u16 first;     // number of its first sample
    u16 packed;    // where its samples are
    u16 time_bin;  // after the page's first one
    u16 kind;      // row, or bits of a sample
};

// A page and what is known of it. `channels` has for each sample the lowest bits of its
// run's number and, below them, its channel. As each run has a sample, those
// of a group are so few that the lowest bits tell them apart.
template <u32 RUNS>
struct Staged {
    uint4 granules[STAGED_BYTES / GRANULE];
    PageRecord page;
    SampleRun runs[RUNS];
    u16 channels[MAX_NUMBERS];
    u16 run_of_group[MAX_NUMBERS / GROUP];
    u32 warp_sums[LANES];

    static constexpr u32 CHANNEL_BITS = 10;
    static constexpr u32 RUN_MASK = (1u << (16 - CHANNEL_BITS)) - 1;

    __device__ __forceinline__ const u32* word_of(u32 position) const {
        return reinterpret_cast<const u32*>(granules) + position / sizeof(u32);
    }
    // Four bytes from any place on. Reads two aligned words.
    __device__ __forceinline__ u32 word(u32 position) const {
        const u32* words = word_of(position);
        return __funnelshift_r(words[0], words[1], position % sizeof(u32) * 8);
    }
    __device__ __forceinline__ const u8* bytes() const { return reinterpret_cast<const u8*>(granules); }
    __device__ __forceinline__ u32 byte(u32 position) const { return bytes()[position]; }
    __device__ __forceinline__ u32 half(u32 position) const { return byte(position) | byte(position + 1) << 8; }

    // Loads a payload, its continuation behind it, and the places of its blocks, as runs
    // with their heads instead of their samples. The first sample has the number `first`.
    // Barrier needed after.
    __device__ __forceinline__ void load(const u8* page, const PageRecord& record, const Piece* pieces, u32 first) {
        if (threadIdx.x == 0) this->page = record;
#pragma unroll 1
        for (u32 i = threadIdx.x; i < record.pieces; i += THREADS) {
            const Piece piece = pieces[i];
            runs[i] = {(u16)(piece.first_sample + first), piece.position, 0, 0};
        }
        // Heads of links are read in whole words, which go some bytes beyond.
        const u32 end = record.end / GRANULE;
        const u32 behind = record.continuation > 0 ? record.continuation / GRANULE + 2 : 0;
        const u32 loaded = behind > 0 ? end : min(end + 1, PAGE_BYTES / GRANULE);
#pragma unroll 2
        for (u32 i = record.start / GRANULE + threadIdx.x; i < loaded; i += THREADS)
            granules[i] = granule_at(page + i * GRANULE);
#pragma unroll 1
        for (u32 i = threadIdx.x; i < behind; i += THREADS)
            granules[end + i] = granule_at(page + PAGE_BYTES + RDH_BYTES + i * GRANULE);
    }

    // Adds a run with the samples up to a number. Their channels are listed apart.
    __device__ __forceinline__ void add(u32 number, SampleRun run, u32 end) {
        runs[number] = run;
        // The first group may begin before the page does.
        u32 group = number == 0 ? 0 : (run.first + GROUP - 1) / GROUP;
        for (; group * GROUP < end; group++) run_of_group[group] = (u16)number;
    }

    __device__ __forceinline__ void list(u32 sample, u32 run, u32 channel) {
        channels[sample] = (u16)((run & RUN_MASK) << CHANNEL_BITS | channel);
    }

    // Lists the channels that a mask has, from `first_channel` on; returns the number of
    // the next sample.
    __device__ __forceinline__ u32 list_mask(u32 mask, u32 sample, u32 run, u32 first_channel) {
        for (; mask != 0; mask &= mask - 1) list(sample++, run, first_channel + (u32)__ffs((int)mask) - 1);
        return sample;
    }

    // The run and the channel of a sample.
    __device__ __forceinline__ SampleRun run_of(u32 sample, u32& channel) const {
        const u32 listed = channels[sample], first = run_of_group[sample / GROUP];
        channel = listed & ((1u << CHANNEL_BITS) - 1);
        return runs[first + (((listed >> CHANNEL_BITS) - first) & RUN_MASK)];
    }
};

}  // namespace
