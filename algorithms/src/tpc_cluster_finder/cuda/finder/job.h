// Jobs: a fragment of a sector; several are processed at once.
#pragma once
#include "map.h"

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

// What the stages of a batch of jobs read and write. Jobs are processed at once, each by the same
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
