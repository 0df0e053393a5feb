// Buckets of clusters: a list of fixed capacity for each row of each sector.
#pragma once
#include "cluster.h"

struct Buckets {
    const u32* offsets;  // of each row of each sector, and the end of the last one
    u32* counts;        // numbers of clusters, including those beyond the capacity
    PackedCluster* clusters;

    // Returns the cluster's index in the bucket. Clusters beyond the capacity are only counted: the
    // host checks the counts and reports an overflow.
    __device__ __forceinline__ u32 add(u32 bucket, const PackedCluster& cluster) const {
        const u32 begin = offsets[bucket], end = offsets[bucket + 1];
        const u32 number = atomicAdd(&counts[bucket], 1u);
        if (number < end - begin) clusters[begin + number] = cluster;
        return number;
    }
};

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
