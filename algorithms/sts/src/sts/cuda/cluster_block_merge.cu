// Sorts the clusters of each side by time as the online reconstruction does: entries of 8 bytes are
// sorted instead of clusters, by the sort of the digis (block_merge.h), a block per side. Clusters
// of the same time stay in the order of their indices.
#include "block_merge.h"
#include "formulas/records.h"

namespace {

constexpr u32 THREADS = 512;
// Two blocks share a multiprocessor, which leaves 64 registers to a thread.
constexpr u32 BLOCKS = 2;
constexpr u32 ITEMS = 11;

// The time is the lower half of an entry.
struct ByTime {
    static constexpr u32 BITS = 32;
    static constexpr u64 PADDING = ~0ull;

    __device__ __forceinline__ static u64 key(u64 entry) { return (u32)entry; }
};

using Sort = BlockMerge<THREADS, ITEMS, ByTime>;
using Shared = Sort::Shared;

}  // namespace

// Writes an entry for each cluster, and sorts those of each side. A block per side.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    entries_block_merge(const Cluster* clusters, const u32* side_offsets, const Found* found, Entry* entries,
                        Entry* scratch) {
    SMEM_DYN(Shared, shared_memory);
    const u32 begin = side_offsets[blockIdx.x], count = found[blockIdx.x].clusters;
    u64* keys = reinterpret_cast<u64*>(entries + begin);
    for (u32 i = threadIdx.x; i < count; i += THREADS) keys[i] = (u64)i << 32 | clusters[begin + i].time;
    __syncthreads();
    Sort::sort(keys, reinterpret_cast<u64*>(scratch + begin), count, *shared_memory);
}
KERNEL_EXPORT(entries_block_merge)
KERNEL_SHARED(entries_block_merge, Shared)
