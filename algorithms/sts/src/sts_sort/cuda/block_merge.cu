// The published sort of digis: see block_merge.h. A block per segment.
#include "block_merge.h"
#include "digi.h"

// Arguments of sorting each segment of `digis`, with `scratch` of the same size; segment s is at
// positions segment_offsets[s] .. segment_offsets[s + 1].
struct BlockMergeSort {
    u64* digis;
    u64* scratch;
    const u32* segment_offsets;
};

namespace {

constexpr u32 THREADS = 512;
// Two blocks share a multiprocessor, which leaves 64 registers to a thread.
constexpr u32 BLOCKS = 2;
constexpr u32 ITEMS = 11;
constexpr u32 TILE = THREADS * ITEMS;

// 42 bits in six passes.
struct ByKey {
    static constexpr u32 BITS = KEY_BITS;
    static constexpr u64 PADDING = ~0ull;  // comes after digis that have the largest key too

    __device__ __forceinline__ static u64 key(u64 digi) { return digi_key(digi); }
};

template <u32 BLOCK, u32 EACH> using Sort = BlockMerge<BLOCK, EACH, ByKey>;
static_assert(Sort<THREADS, ITEMS>::TILE == TILE, "what the launcher counts with");

// Sorts the block's segment.
template <u32 BLOCK, u32 EACH> __device__ __forceinline__ void sort_segment(const BlockMergeSort& all) {
    using Shared = typename Sort<BLOCK, EACH>::Shared;
    SMEM_DYN(Shared, shared);
    const u32 begin = all.segment_offsets[blockIdx.x];
    Sort<BLOCK, EACH>::sort(all.digis + begin, all.scratch + begin, all.segment_offsets[blockIdx.x + 1] - begin,
                            *shared);
}

}  // namespace

KERNEL_INSTANCE(block_merge_sort, BlockMergeSort, (THREADS, BLOCKS), sort_segment<THREADS, ITEMS>)
KERNEL_SHARED(block_merge_sort, Sort<THREADS, ITEMS>::Shared)
KERNEL_INSTANCE(block_merge_sort_256_11, BlockMergeSort, (256, 4), sort_segment<256, 11>)
KERNEL_SHARED(block_merge_sort_256_11, Sort<256, 11>::Shared)
KERNEL_INSTANCE(block_merge_sort_512_7, BlockMergeSort, (512, 2), sort_segment<512, 7>)
KERNEL_SHARED(block_merge_sort_512_7, Sort<512, 7>::Shared)
KERNEL_INSTANCE(block_merge_sort_1024_5, BlockMergeSort, (1024, 1), sort_segment<1024, 5>)
KERNEL_SHARED(block_merge_sort_1024_5, Sort<1024, 5>::Shared)
