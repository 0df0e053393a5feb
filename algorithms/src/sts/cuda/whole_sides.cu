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
#include "fused_sides.h"

namespace {

// Finds the clusters of the listed sides, and writes entries in order of time. A block per side.
template <class Rules> __device__ __forceinline__ void find_in_listed(const ClusterFinding& all) {
    SMEM_DYN(Shared, shared);
    find_clusters<Rules>({all, all.listed[blockIdx.x]}, *shared);
}

// A multiprocessor has shared memory for two of these blocks.
constexpr u32 BLOCKS = 2;

}  // namespace

KERNEL_INSTANCE(whole_sides_exact, ClusterFinding, (THREADS, BLOCKS), find_in_listed<Exact>)
KERNEL_SHARED(whole_sides_exact, Shared)
KERNEL_INSTANCE(whole_sides_published, ClusterFinding, (THREADS, BLOCKS), find_in_listed<Published>)
KERNEL_SHARED(whole_sides_published, Shared)
