// nvcc: -fmad=false
//
// Clusters of sides as in `whole_sides.cu`, by blocks that have nearly all shared memory of a
// multiprocessor: of twice the number of digis, or of five times that number if they were sorted
// before.
#include "portable.h"

namespace {

// Configuration of the headers below: blocks that have a multiprocessor to themselves.
constexpr u32 THREADS = 1024;
// Digis of a thread that are sorted at once in shared memory: 128 KiB for a block.
constexpr u32 SORTED_ITEMS = 16;
constexpr u32 CAPACITY = THREADS * SORTED_ITEMS;
// Digis with the same key come in the order of their other bits, so that the result is deterministic.
constexpr bool KEEPS_ARRIVAL = false;

}  // namespace

#include "fused_sides.h"

namespace {

constexpr u32 LONGEST = 40960, MAX_ORDERED = 22528;
static_assert(MAX_DIGIS == LONGEST && MAX_CLUSTERS == MAX_ORDERED, "what the launcher counts with");

// A multiprocessor has shared memory for one of these blocks.
constexpr u32 BLOCKS = 1;

// Digis of a side that is too long for a block to sort were sorted before. A block per listed side.
template <class Rules> __device__ __forceinline__ void find_in_listed(const ClusterFinding& all) {
    SMEM_DYN(Shared, shared);
    const BlockSide side = {all, all.listed[blockIdx.x]};
    if (side.count() > CAPACITY) {
        find_clusters_of_sorted<Rules>(side, *shared);
    } else {
        find_clusters<Rules>(side, *shared);
    }
}

}  // namespace

KERNEL_INSTANCE(whole_sides_wide_exact, ClusterFinding, (THREADS, BLOCKS), find_in_listed<Exact>)
KERNEL_SHARED(whole_sides_wide_exact, Shared)
KERNEL_INSTANCE(whole_sides_wide_published, ClusterFinding, (THREADS, BLOCKS), find_in_listed<Published>)
KERNEL_SHARED(whole_sides_wide_published, Shared)
