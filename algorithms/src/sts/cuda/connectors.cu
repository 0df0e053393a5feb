// nvcc: -fmad=false
//
// Clusters as the online reconstruction finds them: a thread a digi, connected by atomic
// words. Three kernels: the first finds the offsets of channels, the second links digis to their
// successors, and in the third the thread of each digi without a predecessor follows its chain.
//
// As published, threads that connect find their side by walking past all before it; the others
// by a binary search.
#include "formulas/clusters.h"
#include "formulas/connecting.h"

namespace {

constexpr u32 THREADS = 256;

// Digis of all sides, whose offsets are `side_offsets`.
struct Digis {
    const u64* digis;
    const u32* side_offsets;
    u32 sides;
    u32* connectors;
    u32* channels;

    __device__ __forceinline__ u32 index() const { return blockIdx.x * THREADS + threadIdx.x; }
    __device__ __forceinline__ bool has_digi() const { return index() < side_offsets[sides]; }
    __device__ __forceinline__ u32 side() const { return segment_of(side_offsets, sides, index()); }
    __device__ __forceinline__ DigisOfSide of(u32 side) const {
        return DigisOfSide(digis, connectors, channels, side_offsets, side);
    }
};

template <class Rules>
__device__ __forceinline__ void connect_own(const Digis& all, const Window& window) {
    if (!all.has_digi()) return;
    const u32 side = Walk::segment(all.side_offsets, all.sides, all.index());
    connect<Rules>(all.of(side), all.index() - all.side_offsets[side], window);
}

template <class Rules>
__device__ __forceinline__ void follow_own(const Digis& all, const ClusterTables& tables, Cluster* clusters,
                                           Found* found) {
    if (!all.has_digi()) return;
    const u32 side = all.side();
    const DigisOfSide digis = all.of(side);
    const u32 index = all.index() - all.side_offsets[side];
    if (!digis.is_first(index)) return;
    const float offset = side < all.sides / 2 ? 0.0f : (float)CHANNELS_OF_SIDE;
    const Cluster cluster = cluster_of<Rules>(digis, index, offset, tables);
    clusters[all.side_offsets[side] + atomicAdd(&found[side].clusters, 1u)] = cluster;
    found[side].raise_error(cluster.time_error);
}

}  // namespace

// Writes the offsets of the channels of each side: CHANNEL_OFFSETS words a side. A thread a digi.
extern "C" __global__ void __launch_bounds__(THREADS)
    cluster_channels(const u64* digis, const u32* side_offsets, u32 sides, u32* channels) {
    const Digis all = {digis, side_offsets, sides, nullptr, channels};
    if (!all.has_digi()) return;
    const u32 side = all.side();
    find_channels(all.of(side), all.index() - side_offsets[side]);
}
KERNEL_EXPORT(cluster_channels)

// Writes connectors, which are zero at the start. A thread a digi.
extern "C" __global__ void __launch_bounds__(THREADS)
    cluster_connect_walk_exact(const u64* digis, const u32* side_offsets, u32 sides, u32* channels, u32* connectors,
                               u32 window_ns, u32 whole_ns, u32 crowd_ns) {
    connect_own<Exact>({digis, side_offsets, sides, connectors, channels}, window_of(window_ns, whole_ns, crowd_ns));
}
KERNEL_EXPORT(cluster_connect_walk_exact, ClusterConnect)

extern "C" __global__ void __launch_bounds__(THREADS)
    cluster_connect_walk_published(const u64* digis, const u32* side_offsets, u32 sides, u32* channels, u32* connectors,
                                   u32 window_ns, u32 whole_ns, u32 crowd_ns) {
    connect_own<Published>({digis, side_offsets, sides, connectors, channels},
                           window_of(window_ns, whole_ns, crowd_ns));
}
KERNEL_EXPORT(cluster_connect_walk_published, ClusterConnect)

// Makes clusters of chains, in an order left to chance. `found`, zero at the start, has
// their number. Each side has capacity for a cluster of each digi. A thread a digi.
extern "C" __global__ void __launch_bounds__(THREADS)
    cluster_follow_exact(const u64* digis, const u32* side_offsets, u32 sides, u32* connectors,
                         const ClusterTables* tables, Cluster* clusters, Found* found) {
    follow_own<Exact>({digis, side_offsets, sides, connectors, nullptr}, *tables, clusters, found);
}
KERNEL_EXPORT(cluster_follow_exact, ClusterFollow)

extern "C" __global__ void __launch_bounds__(THREADS)
    cluster_follow_published(const u64* digis, const u32* side_offsets, u32 sides, u32* connectors,
                             const ClusterTables* tables, Cluster* clusters, Found* found) {
    follow_own<Published>({digis, side_offsets, sides, connectors, nullptr}, *tables, clusters, found);
}
KERNEL_EXPORT(cluster_follow_published, ClusterFollow)
