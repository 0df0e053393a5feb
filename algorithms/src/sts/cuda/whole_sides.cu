// nvcc: -fmad=false
//
// recobench: a block processes a side in shared memory, from digis in any order to clusters and
// their order of time. Intermediate results of the stages do not go to device memory: digis are
// sorted as by `channel_bucket_small`, so the offsets of channels are known; a digi's successor is
// searched in the next channel only; the memory of bins is reused for links, and that of heads
// for the times of clusters.
//
// For sides that fit. Those of up to five times this size are for `whole_sides_wide.cu`, larger
// ones for the kernels of each stage.
//
// Dynamic shared memory: see `Shared`.
#include "../../sts_sort/cuda/channel_bucket/block.h"
#include "../../sts_sort/cuda/channel_bucket/by_all_bits.h"
#include "fused_sides/side.h"

// Finds the clusters of the listed sides, and writes entries in order of time. A block per side.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    whole_sides_exact(u64* digis, const u32* side_offsets, u32 sides, const u32* listed, u32 window_ns, u32 whole_ns,
                      u32 crowd_ns, const ClusterTables* tables, Cluster* clusters, Found* found, Entry* entries) {
    SMEM_DYN(Shared, shared);
    const Sides all = {digis, side_offsets, sides, clusters, found, entries};
    find_clusters<Exact>({all, listed[blockIdx.x]}, window_of(window_ns, whole_ns, crowd_ns), *tables, *shared);
}
KERNEL_EXPORT(whole_sides_exact, WholeSides)
KERNEL_SHARED(whole_sides_exact, Shared)

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    whole_sides_published(u64* digis, const u32* side_offsets, u32 sides, const u32* listed, u32 window_ns,
                          u32 whole_ns, u32 crowd_ns, const ClusterTables* tables, Cluster* clusters, Found* found,
                          Entry* entries) {
    SMEM_DYN(Shared, shared);
    const Sides all = {digis, side_offsets, sides, clusters, found, entries};
    find_clusters<Published>({all, listed[blockIdx.x]}, window_of(window_ns, whole_ns, crowd_ns), *tables, *shared);
}
KERNEL_EXPORT(whole_sides_published, WholeSides)
KERNEL_SHARED(whole_sides_published, Shared)
