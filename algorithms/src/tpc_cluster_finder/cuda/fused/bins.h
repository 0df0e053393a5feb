// Samples in bins: those of a row in eight time bins. All bins of a row are contiguous, in the
// order of time, so that any interval of time is one range.
//
// A row has a word for each of its bins and one before them. First they hold counts; then the
// offsets of bins, with that of the first bin twice; once samples are stored, each word has
// advanced to the end of its bin, which is the offset of the next one.
#pragma once
#include "../cases.h"
#include "search.h"

namespace cluster_finder {

// Time bins of a bin: the maximum distance in time at which charges affect a cluster.
constexpr u32 BIN_TIMES = 8;

// Location of the samples of a tile: a row, of all sectors, in some time bins.
struct __align__(16) Tile {
    u32 row;
    u32 number;      // in the row
    u32 begin, end;  // its samples, including those of the adjacent bins
};

// Division of a row into tiles.
struct RowShape {
    u32 pads;
    u32 tile_times;  // time bins of a tile, a multiple of a bin
    u32 reciprocal;  // of the cells of a line, shifted, for division
};

constexpr u32 RECIPROCAL_SHIFT = 22;

// Counters of samples and tiles so far.
struct Counts {
    u32 samples, tiles;
};

}  // namespace cluster_finder

namespace {

// The words of a row.
PORTABLE_INLINE u32 words_of_row(u32 time_bins) { return (time_bins + BIN_TIMES - 1) / BIN_TIMES + 1; }

// A sample in a bin: pad, charge and the lowest bits of its time, which are unique in a tile.
constexpr u32 TIME_SHIFT = 22;
constexpr u32 PAD_SHIFT = 14;
constexpr u32 TIME_MASK = (1u << (32 - TIME_SHIFT)) - 1;
constexpr u32 PAD_MASK = 0xff;
constexpr u32 CHARGE_MASK = (1u << PAD_SHIFT) - 1;

PORTABLE_INLINE u32 binned_word(const Sample& sample) {
    return sample.time << TIME_SHIFT | sample.pad << PAD_SHIFT | sample.charge;
}

// No bin.
constexpr u32 NONE = ~0u;

// The sector of a sample, searched from one sample to a later one: samples are sorted by sector.
struct SectorOfSample {
    const Sector* sectors;
    const u32* first_words;
    u32 count;      // of sectors
    u32 sector;
    u32 end;        // of its samples
    u32 first_word, row_words;

    __device__ __forceinline__ SectorOfSample(const Sector* sectors, u32 count, const u32* first_words, u32 sample)
        : sectors(sectors), first_words(first_words), count(count) {
        // The sample's sector precedes the first sector whose first sample is after it.
        go_to(lower_bound(0, count, [&](u32 number) { return sectors[number].first_sample <= sample; }) - 1);
    }

    __device__ __forceinline__ void go_to(u32 number) {
        sector = number;
        end = number + 1 < count ? sectors[number + 1].first_sample : NONE;
        first_word = first_words[number];
        row_words = words_of_row(sectors[number].time_bins);
    }

    // The word of a sample's bin.
    __device__ __forceinline__ u32 bin_of(u32 number, const Sample& sample) {
        while (number >= end) go_to(sector + 1);
        return first_word + sample.row * row_words + 1 + sample.time / BIN_TIMES;
    }
};

// Neighbouring lanes with samples of the same bin: as samples come in the order of time and row,
// these are those of a row in a time bin.
struct Mates {
    u32 first;   // the first of these lanes
    u32 behind;  // their number from this lane on
};

PORTABLE_INLINE Mates mates_of(u32 bin) {
    const u32 lane = threadIdx.x % LANES;
    const u32 before = __shfl_up_sync(FULL_MASK, bin, 1);
    const lanemask_t firsts = __ballot_sync(FULL_MASK, lane == 0 || bin != before);
    const lanemask_t later = firsts >> lane >> 1;
    const lanemask_t not_later = firsts & (lanemask_lt(lane) | (lanemask_t)1 << lane);
    return {LANES - 1 - (u32)clz(not_later), later ? (u32)ffs(later) : LANES - lane};
}

}  // namespace
