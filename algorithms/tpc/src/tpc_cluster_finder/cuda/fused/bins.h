// Samples in bins: those of a row in eight time bins. All bins of a row are contiguous, in the
// order of time, so that any interval of time is one range.
//
// A row has a word for each of its bins and one before them. First they hold counts; then the
// offsets of bins, with that of the first bin twice; once samples are stored, each word has
// advanced to the end of its bin, which is the offset of the next one.
#pragma once
#include "../finding.h"
#include "scan.h"

namespace cluster_finder {

struct Sector {
    u32 first_sample;
    u32 time_bins;
    Settings settings;
};

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

// Consecutive clusters of one row in the list; rows of all sectors are numbered.
struct Run {
    u32 row, first, count;
};

// List of clusters and its capacity.
struct FoundClusters {
    u64* totals;  // clusters in the lower half of a word, runs in the upper one
    PackedCluster* clusters;
    Run* runs;
    u32 max_clusters, max_runs;
};

// Range of the labels of a sample among all labels.
struct __align__(8) LabelRange {
    u32 first, count;
};

// Range of the samples that give their labels to a cluster among those of all clusters, in the
// order in which labels are collected.
struct __align__(8) Members {
    u32 first, count;
};

// Maximum number of samples of a cluster: all within two steps of its peak.
constexpr u32 MAX_MEMBERS = 25;
// Maximum number of clusters that a sample gives its labels to: no two peaks are adjacent, so at
// most nine lie within two steps of a cell.
constexpr u32 MAX_CLUSTERS_OF_SAMPLE = 9;

// Lists of the samples of clusters, with their capacities.
struct MemberLists {
    u64* total;
    Members* of_clusters;
    u32* samples;  // their indices in bins
    u32 max_samples;
};

// Arguments of finding clusters.
struct FusedFinding {
    const u64* samples;
    const Sector* sectors;
    const RowShape* rows;
    // The first word of each sector, and the words of its bins.
    const u32* first_words;
    u32* words;
    Counts* counts;
    u32* binned;
    Tile* tiles;
    // A bit for each pad of each row of each sector.
    const u32* noisy;
    FoundClusters found;
    // Of samples with labels: the index of each one's first label, then the total; and the range of
    // each in a bin.
    const u32* first_labels;
    LabelRange* ranges;
    MemberLists members;
    u32 sample_count, sector_count;
};

}  // namespace cluster_finder

namespace {

using namespace cluster_finder;

// A sample: time bin, pad, row and charge.
struct Sample {
    u32 time, pad, row, charge;
};

PORTABLE_INLINE Sample sample_of(u64 word) {
    return {(u32)word, (u32)(word >> 32) & 0xff, (u32)(word >> 40) & 0xff, (u32)(word >> 48)};
}

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

constexpr u32 BIN_THREADS = 256;
// Samples of a thread, so that several loads are in flight.
constexpr u32 BIN_ITEMS = 8;

// The samples of a thread, and their bins.
struct ThreadSamples {
    u32 binned[BIN_ITEMS];
    u32 bins[BIN_ITEMS];

    __device__ __forceinline__ explicit ThreadSamples(const FusedFinding& all) {
        const u32 count = all.sample_count;
        u64 words[BIN_ITEMS];
#pragma unroll
        for (u32 i = 0; i < BIN_ITEMS; i++) {
            words[i] = number(i) < count ? all.samples[number(i)] : 0;
        }
        SectorOfSample sector(all.sectors, all.sector_count, all.first_words, number(0) - threadIdx.x);
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
