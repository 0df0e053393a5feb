// Maps of charges and peaks, and jobs: fragments of sectors, several of which are processed at once.
#pragma once
#include "../finding.h"

// Charges and peaks of a fragment of a sector, in tiles of a cache line each, as on the host:
// see charge_map.rs and cpu/published/maps.rs.
//
// A position has the column of a pad in its lower half, and in the upper one a line, which is a
// time bin of the fragment. Margins are wide enough that no step from a sample leaves the map.

// Columns from the start of a row of pads to that of the next one, and before the first.
constexpr u32 ROW_PITCH = 152;
constexpr u32 PAD_MARGIN = 8;
// Time bins before a fragment and after it.
constexpr u32 TIME_MARGIN = 4;
constexpr u32 COLUMNS = ROWS * ROW_PITCH + PAD_MARGIN;
// Pads of a tile of either map, and the time bins of each.
constexpr u32 TILE_PADS = 8;
constexpr u32 CHARGE_TILE_TIMES = 4;
constexpr u32 PEAK_TILE_TIMES = 8;
constexpr u32 TILES_IN_ROW = COLUMNS / TILE_PADS;

// The position of a sample outside of the fragment: its line is negative.
constexpr u32 OUTSIDE = 0xffff0000;

// Entry of a charge: its bits,
constexpr u32 CHARGE = 0x3fff;
// true if there is a peak in its neighbourhood, or it is one,
constexpr u32 AT_PEAK = 0x4000;
// and a flag for a divided charge.
constexpr u32 DIVIDED = 0x8000;

// Entry of a peak: a flag for a peak,
constexpr u32 PEAK = 1;
// and one for a charge above the inner threshold.
constexpr u32 ABOVE = 2;

// A step of pads and time bins.
struct Step {
    i32 pads, times;
};

PORTABLE_INLINE u32 column_of(u32 position) { return position & 0xffff; }
PORTABLE_INLINE u32 line_of(u32 position) { return position >> 16; }
PORTABLE_INLINE bool is_outside(u32 position) { return (position & 0x80000000) != 0; }

PORTABLE_INLINE u32 position_at(u32 row, u32 pad, u32 local_time) {
    return (local_time + TIME_MARGIN) << 16 | (row * ROW_PITCH + pad + PAD_MARGIN);
}

// The position a step away: columns stay above 0, so nothing is borrowed from the time.
PORTABLE_INLINE u32 plus(u32 position, Step step) {
    return position + (u32)(step.times * 65536 + step.pads);
}

template <u32 TILE_TIMES> PORTABLE_INLINE u32 entry_at(u32 position) {
    const u32 column = column_of(position), line = line_of(position);
    const u32 tile = line / TILE_TIMES * TILES_IN_ROW + column / TILE_PADS;
    return (tile * TILE_TIMES + line % TILE_TIMES) * TILE_PADS + column % TILE_PADS;
}

// Both maps of a fragment.
struct Maps {
    u16* charges;
    u8* peaks;

    __device__ __forceinline__ u16& charge(u32 position) const {
        return charges[entry_at<CHARGE_TILE_TIMES>(position)];
    }
    __device__ __forceinline__ u8& peak(u32 position) const {
        return peaks[entry_at<PEAK_TILE_TIMES>(position)];
    }
};

// Jobs: a fragment of a sector; several are processed at once.

// A decoded sample: pads have their row in the upper byte. Loaded with one access.
struct alignas(8) Sample {
    u32 time;
    u16 pad, charge;
};

// A fragment of a sector.
struct Job {
    u32 sector;                // its index among those of the input
    u32 first_sample, samples; // among those of all sectors; some may be of other time bins
    u32 first_position;        // offset of its part of each list, with capacity for its samples
    u32 first_time, time_bins;
    u32 own_begin, own_end;    // time bins whose clusters it finds

    // The job's part of a list.
    template <class T> __device__ __forceinline__ T* list(T* all) const { return all + first_position; }
};

// Numbers of samples that are peaks, and of peaks that remain.
struct PeakCounts {
    u32 raw, kept;
};

// Returns true if a pad is noisy, from the bits of all rows of all sectors.
PORTABLE_INLINE bool is_noisy(const u32* noisy, u32 sector, u32 position) {
    const u32 column = column_of(position) - PAD_MARGIN, row = column / ROW_PITCH, pad = column % ROW_PITCH;
    return (noisy[(sector * ROWS + row) * NOISY_WORDS + pad / 32] >> pad % 32 & 1) != 0;
}

// Arguments of the stages of a batch of jobs. Jobs are processed at once, each by the same
// number of blocks; their maps are stored one after the other, and have the charges around each
// position. Lists have capacity for all positions.
struct Finding {
    // Samples of all sectors.
    const Sample* samples;
    const Job* jobs;
    // Settings of each sector, and a bit for each pad of each row of each sector.
    const Settings* sectors;
    const u32* noisy;
    const u32* pads_in_rows;
    u32* positions;
    u16* charges;
    u8* peaks;
    // For each position whether it is a peak; later for each raw peak whether it is kept.
    u8* marks;
    u32* raw;
    u32* kept;
    PeakCounts* counts;
    // Buckets of clusters: a list of fixed capacity for each row of each sector. Counts include the
    // clusters beyond the capacity.
    const u32* bucket_offsets;
    u32* bucket_counts;
    PackedCluster* clusters;
    // The index of each kept peak's cluster in its bucket; may be null.
    u32* cluster_indices;
    u32 first_job, blocks_of_job;
    u32 charge_entries, peak_entries;  // of each map
};

// The part of a batch that a block processes.
struct Part {
    const Finding& all;
    u32 slot;   // index of its job in the batch
    u32 block;  // index among the blocks of the job

    __device__ __forceinline__ explicit Part(const Finding& all)
        : all(all), slot(blockIdx.x / all.blocks_of_job), block(blockIdx.x % all.blocks_of_job) {}

    __device__ __forceinline__ const Job& job() const { return all.jobs[all.first_job + slot]; }
    __device__ __forceinline__ const Settings& settings(const Job& job) const { return all.sectors[job.sector]; }
    __device__ __forceinline__ PeakCounts& counts() const { return all.counts[slot]; }
    __device__ __forceinline__ Maps maps() const {
        return {all.charges + (u64)slot * all.charge_entries, all.peaks + (u64)slot * all.peak_entries};
    }
};
