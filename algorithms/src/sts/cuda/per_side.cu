// nvcc: -fmad=false
//
// Clusters by a block per module side: connecting in three steps, with barriers between them. No
// thread has to search its side, and it takes one launch; but the number of blocks is that of
// sides, which may be too small to fill the device.
#include "formulas/clusters.h"
#include "formulas/connecting.h"

namespace {

constexpr u32 THREADS = 512;

template <class Rules>
__device__ __forceinline__ void find_clusters(const DigisOfSide& side, const Window& window, float offset,
                                              const ClusterTables& tables, Cluster* clusters, Found* found) {
    for (u32 index = threadIdx.x; index < side.count; index += THREADS) find_channels(side, index);
    __syncthreads();
    for (u32 index = threadIdx.x; index < side.count; index += THREADS) connect<Rules>(side, index, window);
    __syncthreads();
    for (u32 index = threadIdx.x; index < side.count; index += THREADS) {
        if (!side.is_first(index)) continue;
        const Cluster cluster = cluster_of<Rules>(side, index, offset, tables);
        clusters[atomicAdd(&found->clusters, 1u)] = cluster;
        found->raise_error(cluster.time_error);
    }
}

template <class Rules>
__device__ __forceinline__ void find_in_side(const u64* digis, const u32* side_offsets, u32* channels, u32* connectors,
                                             const Window& window, const ClusterTables& tables, Cluster* clusters,
                                             Found* found) {
    const u32 side = blockIdx.x;
    const float offset = side < gridDim.x / 2 ? 0.0f : (float)CHANNELS_OF_SIDE;
    const DigisOfSide block_side(digis, connectors, channels, side_offsets, side);
    find_clusters<Rules>(block_side, window, offset, tables, clusters + side_offsets[side], found + side);
}

}  // namespace

// Finds the clusters of all sides, as `cluster_channels`, `_connect_` and `_follow_` do. A block
// per side.
extern "C" __global__ void __launch_bounds__(THREADS)
    cluster_side_exact(const u64* digis, const u32* side_offsets, u32* channels, u32* connectors, u32 window_ns,
                       u32 whole_ns, u32 crowd_ns, const ClusterTables* tables, Cluster* clusters, Found* found) {
    const Window window = window_of(window_ns, whole_ns, crowd_ns);
    find_in_side<Exact>(digis, side_offsets, channels, connectors, window, *tables, clusters, found);
}
KERNEL_EXPORT(cluster_side_exact, ClusterSide)

extern "C" __global__ void __launch_bounds__(THREADS)
    cluster_side_published(const u64* digis, const u32* side_offsets, u32* channels, u32* connectors, u32 window_ns,
                           u32 whole_ns, u32 crowd_ns, const ClusterTables* tables, Cluster* clusters, Found* found) {
    const Window window = window_of(window_ns, whole_ns, crowd_ns);
    find_in_side<Published>(digis, side_offsets, channels, connectors, window, *tables, clusters, found);
}
KERNEL_EXPORT(cluster_side_published, ClusterSide)
