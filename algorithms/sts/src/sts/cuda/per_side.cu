// nvcc: -fmad=false
//
// Clusters by a block per module side: connecting in three steps, with barriers between them. No
// thread has to search its side, and it takes one launch; but the number of blocks is that of
// sides, which may be too small to fill the device.
#include "formulas/clusters.h"

namespace {

constexpr u32 THREADS = 512;

// Finds the clusters of all sides, as `cluster_channels`, `_connect_` and `_follow_` do. A block
// per side.
template <class Rules> __device__ __forceinline__ void find_in_side(const ClusterFinding& all) {
    const DigisOfSide side(all.digis, all.connectors, all.channels, all.side_offsets, blockIdx.x);
    Cluster* clusters = all.clusters + all.side_offsets[blockIdx.x];
    Found* found = all.found + blockIdx.x;
    for (u32 index = threadIdx.x; index < side.count; index += THREADS) find_channels(side, index);
    __syncthreads();
    for (u32 index = threadIdx.x; index < side.count; index += THREADS) connect<Rules>(side, index, all.window);
    __syncthreads();
    for (u32 index = threadIdx.x; index < side.count; index += THREADS) {
        if (!side.is_first(index)) continue;
        const Cluster cluster = cluster_of<Rules>(side, index, all.offset(blockIdx.x), *all.tables);
        clusters[atomicAdd(&found->clusters, 1u)] = cluster;
        found->raise_error(cluster.time_error);
    }
}

}  // namespace

KERNEL_INSTANCE(cluster_side_exact, ClusterFinding, (THREADS), find_in_side<Exact>)
KERNEL_INSTANCE(cluster_side_published, ClusterFinding, (THREADS), find_in_side<Published>)
