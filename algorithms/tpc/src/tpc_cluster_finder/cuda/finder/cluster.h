// A cluster: its sums, means and widths, calculated as in cluster.rs.
#pragma once
#include "job.h"

// A cluster: its sums, means and widths, calculated as in cluster.rs.

// Each operation is rounded: a fused multiply-subtract would give other widths. The sums are
// integers below 2^24, and sixteenths cancel.
PORTABLE_INLINE Moments moments(i32 charge, i32 first, i32 second) {
    const float all = (float)charge;
    const float mean = __fdiv_rn((float)first, all);
    const float variance = __fsub_rn(__fdiv_rn((float)second, all), __fmul_rn(mean, mean));
    return {mean, __fsqrt_rn(variance)};
}

// Sums over the charges of a cluster, by steps from its peak.
struct Sums {
    i32 charge = 0, pad = 0, pad_squared = 0, time = 0, time_squared = 0;
    u32 shared_pad = 0, shared_time = 0;

    __device__ __forceinline__ void add(Step step, u32 entry) {
        const i32 own = (i32)(entry & CHARGE);
        const u32 is_shared = (entry & DIVIDED) != 0;
        charge += own;
        pad += own * step.pads;
        pad_squared += own * step.pads * step.pads;
        time += own * step.times;
        time_squared += own * step.times * step.times;
        if (step.pads != 0) shared_pad += is_shared;
        if (step.times != 0) shared_time += is_shared;
    }

    // Packs the cluster around a peak into `cluster`; returns true if it is large enough.
    __device__ __forceinline__ bool finish(Peak peak, u32 pads_in_row, const Settings& settings,
                                           PackedCluster& cluster) const {
        const Moments by_pad = moments(charge, pad, pad_squared), by_time = moments(charge, time, time_squared);
        const Extent extent = {charge, by_pad, by_time, shared_pad, shared_time};
        return pack(extent, peak, (i32)pads_in_row, settings, cluster);
    }
};

// Clusters in the bucket of their row.

// Adds a cluster to a bucket; returns its index there. Clusters beyond the capacity are only
// counted: the host checks the counts and reports an overflow.
PORTABLE_INLINE u32 add_to_bucket(const Finding& all, u32 bucket, const PackedCluster& cluster) {
    const u32 begin = all.bucket_offsets[bucket], end = all.bucket_offsets[bucket + 1];
    const u32 number = atomicAdd(&all.bucket_counts[bucket], 1u);
    if (number < end - begin) all.clusters[begin + number] = cluster;
    return number;
}

// Index of a remaining peak without a cluster, or of a neighbouring fragment.
constexpr u32 NO_CLUSTER = 0xffffffff;

// A peak with its charge, its pad in the row and its time in the frame.
PORTABLE_INLINE Peak peak_at(u32 position, const Job& job, u32 charge) {
    const u32 pad = (column_of(position) - PAD_MARGIN) % ROW_PITCH;
    return {(i32)pad, (i32)(job.first_time + line_of(position) - TIME_MARGIN), (i32)charge};
}

PORTABLE_INLINE u32 row_of(u32 position) { return (column_of(position) - PAD_MARGIN) / ROW_PITCH; }

PORTABLE_INLINE u32 bucket_of(u32 peak, const Job& job) { return job.sector * ROWS + row_of(peak); }

// Returns true if a peak is not one of a neighbouring fragment.
PORTABLE_INLINE bool is_own(u32 peak, const Job& job) {
    const u32 time = job.first_time + line_of(peak) - TIME_MARGIN;
    return time >= job.own_begin && time < job.own_end;
}
