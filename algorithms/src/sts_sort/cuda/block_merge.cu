// The published sort of digis: see block_merge.h. A block per segment.
#include "block_merge.h"
#include "digi.h"

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

template <class Sort>
__device__ __forceinline__ void sort_segment(u64* digis, u64* scratch, const u32* segment_offsets,
                                             typename Sort::Shared& shared) {
    const u32 begin = segment_offsets[blockIdx.x];
    Sort::sort(digis + begin, scratch + begin, segment_offsets[blockIdx.x + 1] - begin, shared);
}

using Shared = Sort<THREADS, ITEMS>::Shared;
using Shared256 = Sort<256, 11>::Shared;
using Shared512 = Sort<512, 7>::Shared;
using Shared1024 = Sort<1024, 5>::Shared;

}  // namespace

// Sorts each segment of `digis`, with `scratch` of the same size; segment s is at positions
// segment_offsets[s] .. segment_offsets[s + 1]. A block per segment.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    block_merge_sort(u64* digis, u64* scratch, const u32* segment_offsets) {
    SMEM_DYN(Shared, shared_memory);
    sort_segment<Sort<THREADS, ITEMS>>(digis, scratch, segment_offsets, *shared_memory);
}
KERNEL_EXPORT(block_merge_sort)
KERNEL_SHARED(block_merge_sort, Shared)

// The same sort with smaller blocks.
extern "C" __global__ void __launch_bounds__(256, 4)
    block_merge_sort_256_11(u64* digis, u64* scratch, const u32* segment_offsets) {
    SMEM_DYN(Shared256, shared_memory);
    sort_segment<Sort<256, 11>>(digis, scratch, segment_offsets, *shared_memory);
}
KERNEL_EXPORT(block_merge_sort_256_11, block_merge_sort)
KERNEL_SHARED(block_merge_sort_256_11, Shared256)

extern "C" __global__ void __launch_bounds__(512, 2)
    block_merge_sort_512_7(u64* digis, u64* scratch, const u32* segment_offsets) {
    SMEM_DYN(Shared512, shared_memory);
    sort_segment<Sort<512, 7>>(digis, scratch, segment_offsets, *shared_memory);
}
KERNEL_EXPORT(block_merge_sort_512_7, block_merge_sort)
KERNEL_SHARED(block_merge_sort_512_7, Shared512)

extern "C" __global__ void __launch_bounds__(1024, 1)
    block_merge_sort_1024_5(u64* digis, u64* scratch, const u32* segment_offsets) {
    SMEM_DYN(Shared1024, shared_memory);
    sort_segment<Sort<1024, 5>>(digis, scratch, segment_offsets, *shared_memory);
}
KERNEL_EXPORT(block_merge_sort_1024_5, block_merge_sort)
KERNEL_SHARED(block_merge_sort_1024_5, Shared1024)
