// Clusters of all rows in one list, with runs of clusters of one row (see found.rs).
#pragma once
#include "cluster.h"

namespace cluster_finder {

// Consecutive clusters of one row in the list; rows of all sectors are numbered.
struct Run {
    u32 row, first, count;
};

}  // namespace cluster_finder

namespace {

// List of clusters and its capacity.
struct FoundClusters {
    u64* totals;  // clusters in the lower half of a word, runs in the upper one
    PackedCluster* clusters;
    Run* runs;
    u32 max_clusters, max_runs;
};

// Adds the clusters that some lanes of a warp have, all of one row; returns the index of the lane's
// own. All lanes take part. Clusters beyond the capacity are counted but not stored.
PORTABLE_INLINE u32 add_clusters(const FoundClusters& to, u32 row, bool is_found, const PackedCluster& cluster) {
    const lanemask_t found = __ballot_sync(FULL_MASK, is_found);
    if (found == 0) return 0;
    const u32 lane = threadIdx.x % LANES, count = (u32)popc(found);
    u64 before = 0;
    if (lane == 0) before = atomicAdd(to.totals, (u64)1 << 32 | count);
    before = __shfl_sync(FULL_MASK, before, 0);
    const u32 first = (u32)before, run = (u32)(before >> 32);
    if (lane == 0 && run < to.max_runs) to.runs[run] = {row, first, count};
    const u32 index = first + (u32)popc(found & lanemask_lt(lane));
    if (is_found && index < to.max_clusters) to.clusters[index] = cluster;
    return index;
}

}  // namespace
