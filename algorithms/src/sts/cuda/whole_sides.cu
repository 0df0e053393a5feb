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
#include "portable.h"

namespace {

// Configuration of the headers below: blocks of which a multiprocessor holds two.
constexpr u32 THREADS = 512;
// Digis of a thread that are sorted at once in shared memory: 64 KiB for a block.
constexpr u32 SORTED_ITEMS = 16;
constexpr u32 CAPACITY = THREADS * SORTED_ITEMS;
// Digis with the same key come in the order of their other bits, so that the result is deterministic.
constexpr bool KEEPS_ARRIVAL = false;

}  // namespace

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
