// nvcc: -fmad=false
//
// Ours: from the digis of a side, in any order, to its clusters and their order of time by one block, in shared
// memory. What stages leave for each other in device memory stays where it is: digis are sorted as by
// `channel_bucket_small`, so that it is known where channels begin; a digi's follower is looked for in the next
// channel alone; links take the place of bins, and the times of clusters that of their first digis.
//
// For sides that fit. Those of up to five times as many digis are for `whole_sides_wide.cu`, larger ones for the
// kernels of each stage.
//
// Dynamic shared memory: see `Shared`.
#include "../../sts_sort/cuda/channel_bucket/block.h"
#include "../../sts_sort/cuda/channel_bucket/by_all_bits.h"
#include "whole_sides/side.h"

// Finds the clusters of the listed sides, and writes entries in order of time. A block a side.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    whole_sides_exact(u64* digis, const u32* begins, u32 sides, const u32* listed, u32 window_ns, u32 whole_ns,
                    u32 crowd_ns, const ClusterTables* tables, Cluster* clusters, Found* found, Entry* entries) {
    SMEM_DYN(Shared, shared);
    const Sides all = {digis, begins, sides, clusters, found, entries};
    find_clusters<Exact>({all, listed[blockIdx.x]}, window_of(window_ns, whole_ns, crowd_ns), *tables, *shared);
}
KERNEL_EXPORT(whole_sides_exact, WholeSides)
KERNEL_SHARED(whole_sides_exact, Shared)

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    whole_sides_published(u64* digis, const u32* begins, u32 sides, const u32* listed, u32 window_ns, u32 whole_ns,
                    u32 crowd_ns, const ClusterTables* tables, Cluster* clusters, Found* found, Entry* entries) {
    SMEM_DYN(Shared, shared);
    const Sides all = {digis, begins, sides, clusters, found, entries};
    find_clusters<Published>({all, listed[blockIdx.x]}, window_of(window_ns, whole_ns, crowd_ns), *tables, *shared);
}
KERNEL_EXPORT(whole_sides_published, WholeSides)
KERNEL_SHARED(whole_sides_published, Shared)
