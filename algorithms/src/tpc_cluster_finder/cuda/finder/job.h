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

// Jobs that are processed at once, each by the same number of blocks. Their maps are stored one
// after the other.
struct Batch {
    u32 first_job;
    u32 blocks_of_job;
    u32 charge_entries, peak_entries;  // of each map
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

// The part of a batch that a block processes.
struct Part {
    u32 slot;   // index of its job in the batch
    u32 block;  // index among the blocks of the job

    __device__ __forceinline__ explicit Part(const Batch& batch)
        : slot(blockIdx.x / batch.blocks_of_job), block(blockIdx.x % batch.blocks_of_job) {}

    __device__ __forceinline__ const Job& job(const Job* jobs, const Batch& batch) const {
        return jobs[batch.first_job + slot];
    }
    __device__ __forceinline__ Maps maps(u16* charges, u8* peaks, const Batch& batch) const {
        return {charges + (u64)slot * batch.charge_entries, peaks + (u64)slot * batch.peak_entries};
    }
};
