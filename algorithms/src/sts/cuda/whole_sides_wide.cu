// nvcc: -fmad=false
//
// Clusters of sides as in `whole_sides.cu`, by blocks that have nearly all shared memory of a
// multiprocessor: of twice the number of digis, or of five times that number if they were sorted
// before.
#include "../../sts_sort/cuda/channel_bucket/wide_block.h"
#include "../../sts_sort/cuda/channel_bucket/by_all_bits.h"
#include "fused_sides/side.h"

namespace {

constexpr u32 LONGEST = 40960, MAX_ORDERED = 22528;
static_assert(MAX_DIGIS == LONGEST && MAX_CLUSTERS == MAX_ORDERED, "what the launcher counts with");

// Digis of a side that is too long for a block to sort were sorted before.
template <class Rules>
__device__ __forceinline__ void find_clusters_of_any(const BlockSide& block_side, const Window& window,
                                                     const ClusterTables& tables, Shared& shared) {
    if (block_side.count() > CAPACITY) {
        find_clusters_of_sorted<Rules>(block_side, window, tables, shared);
    } else {
        find_clusters<Rules>(block_side, window, tables, shared);
    }
}

}  // namespace

// A block per side.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    whole_sides_wide_exact(u64* digis, const u32* side_offsets, u32 sides, const u32* listed, u32 window_ns,
                           u32 whole_ns, u32 crowd_ns, const ClusterTables* tables, Cluster* clusters, Found* found,
                           Entry* entries) {
    SMEM_DYN(Shared, shared);
    const Sides all = {digis, side_offsets, sides, clusters, found, entries};
    find_clusters_of_any<Exact>({all, listed[blockIdx.x]}, window_of(window_ns, whole_ns, crowd_ns), *tables, *shared);
}
KERNEL_EXPORT(whole_sides_wide_exact, WholeSides)
KERNEL_SHARED(whole_sides_wide_exact, Shared)

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    whole_sides_wide_published(u64* digis, const u32* side_offsets, u32 sides, const u32* listed, u32 window_ns,
                               u32 whole_ns, u32 crowd_ns, const ClusterTables* tables, Cluster* clusters, Found* found,
                               Entry* entries) {
    SMEM_DYN(Shared, shared);
    const Sides all = {digis, side_offsets, sides, clusters, found, entries};
    find_clusters_of_any<Published>({all, listed[blockIdx.x]}, window_of(window_ns, whole_ns, crowd_ns), *tables,
                                    *shared);
}
KERNEL_EXPORT(whole_sides_wide_published, WholeSides)
KERNEL_SHARED(whole_sides_wide_published, Shared)
