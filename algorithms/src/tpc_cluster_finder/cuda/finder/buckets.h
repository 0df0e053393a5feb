// Clusters in the bucket of their row.
#pragma once
#include "cluster.h"

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
