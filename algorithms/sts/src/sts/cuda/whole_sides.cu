// nvcc: -fmad=false
//
// recobench: a block processes a side in shared memory, from digis in any order to clusters and
// their order of time. Intermediate results of the stages do not go to device memory: digis are
// sorted as by `channel_bucket_small`, so the offsets of channels are known; a digi's successor is
// searched in the next channel only; the memory of bins is reused for links, and that of heads
// for the times of clusters.
//
// For sides that fit. Blocks that have nearly all shared memory of a multiprocessor take twice the
// number of digis, or five times that number if they were sorted before. Larger sides are for the
// kernels of each stage.
//
// Dynamic shared memory: see `Shared`.
#include "fused_sides.h"

namespace {

using Narrow = BlockSort<THREADS, false>;
using Wide = BlockSort<WIDE_THREADS, false>;

constexpr u32 LONGEST = 40960, MAX_ORDERED = 22528;
static_assert(LongChains<Wide>::MAX_DIGIS == LONGEST && LongChains<Wide>::MAX_CLUSTERS == MAX_ORDERED,
              "what the launcher counts with");

// Finds the clusters of the listed sides, and writes entries in order of time. A block per side.
template <class Rules> __device__ __forceinline__ void find_in_listed(const ClusterFinding& all) {
    SMEM_DYN(Shared<Narrow>, shared);
    find_clusters<Rules>({all, all.listed[blockIdx.x]}, *shared);
}

// Digis of a side that is too long for a block to sort were sorted before. A block per side.
template <class Rules> __device__ __forceinline__ void find_in_listed_wide(const ClusterFinding& all) {
    SMEM_DYN(Shared<Wide>, shared);
    const BlockSide side = {all, all.listed[blockIdx.x]};
    if (side.count() > WIDE_CAPACITY) {
        find_clusters_of_sorted<Rules>(side, *shared);
    } else {
        find_clusters<Rules>(side, *shared);
    }
}

}  // namespace

KERNEL_INSTANCE(whole_sides_exact, ClusterFinding, (THREADS, BLOCKS), find_in_listed<Exact>)
KERNEL_SHARED(whole_sides_exact, Shared<Narrow>)
KERNEL_INSTANCE(whole_sides_published, ClusterFinding, (THREADS, BLOCKS), find_in_listed<Published>)
KERNEL_SHARED(whole_sides_published, Shared<Narrow>)
KERNEL_INSTANCE(whole_sides_wide_exact, ClusterFinding, (WIDE_THREADS, WIDE_BLOCKS), find_in_listed_wide<Exact>)
KERNEL_SHARED(whole_sides_wide_exact, Shared<Wide>)
KERNEL_INSTANCE(whole_sides_wide_published, ClusterFinding, (WIDE_THREADS, WIDE_BLOCKS), find_in_listed_wide<Published>)
KERNEL_SHARED(whole_sides_wide_published, Shared<Wide>)
