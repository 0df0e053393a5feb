// nvcc: -fmad=false
//
// Clusters as the online reconstruction finds them: a thread a digi, connected by atomic
// words. Three kernels: the first finds the offsets of channels, the second links digis to their
// successors, and in the third the thread of each digi without a predecessor follows its chain.
//
// As published, threads that connect find their side by walking past all before it; the others
// by a binary search.
#include "formulas/clusters.h"

namespace {

constexpr u32 THREADS = 256;

// The digi of a thread, and its side.
template <class Finding> struct ThreadDigi {
    u32 side, index;  // index in the side
    bool is_there;

    __device__ __forceinline__ ThreadDigi(const ClusterFinding& all) {
        index = blockIdx.x * THREADS + threadIdx.x;
        is_there = index < all.side_offsets[all.sides];
        if (!is_there) return;
        side = Finding::segment(all.side_offsets, all.sides, index);
        index -= all.side_offsets[side];
    }
    __device__ __forceinline__ DigisOfSide digis(const ClusterFinding& all) const {
        return DigisOfSide(all.digis, all.connectors, all.channels, all.side_offsets, side);
    }
};

// Writes the offsets of the channels of each side. A thread a digi.
__device__ __forceinline__ void find_channels_of_all(const ClusterFinding& all) {
    const ThreadDigi<Search> own(all);
    if (own.is_there) find_channels(own.digis(all), own.index);
}

// Writes connectors, which are zero at the start. A thread a digi.
template <class Rules> __device__ __forceinline__ void connect_all(const ClusterFinding& all) {
    const ThreadDigi<Walk> own(all);
    if (own.is_there) connect<Rules>(own.digis(all), own.index, all.window);
}

// Makes clusters of chains, in an order left to chance. A thread a digi.
template <class Rules> __device__ __forceinline__ void follow_all(const ClusterFinding& all) {
    const ThreadDigi<Search> own(all);
    if (!own.is_there) return;
    const DigisOfSide digis = own.digis(all);
    if (!digis.is_first(own.index)) return;
    const Cluster cluster = cluster_of<Rules>(digis, own.index, all.offset(own.side), *all.tables);
    Found& found = all.found[own.side];
    all.clusters[all.side_offsets[own.side] + atomicAdd(&found.clusters, 1u)] = cluster;
    found.raise_error(cluster.time_error);
}

}  // namespace

KERNEL_INSTANCE(cluster_channels, ClusterFinding, (THREADS), find_channels_of_all)
KERNEL_INSTANCE(cluster_connect_walk_exact, ClusterFinding, (THREADS), connect_all<Exact>)
KERNEL_INSTANCE(cluster_connect_walk_published, ClusterFinding, (THREADS), connect_all<Published>)
KERNEL_INSTANCE(cluster_follow_exact, ClusterFinding, (THREADS), follow_all<Exact>)
KERNEL_INSTANCE(cluster_follow_published, ClusterFinding, (THREADS), follow_all<Published>)
