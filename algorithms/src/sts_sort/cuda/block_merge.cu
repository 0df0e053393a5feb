// The published sort of digis: see block_merge.h. A block a segment.
#include "block_merge.h"
#include "digi.h"

namespace {

constexpr u32 THREADS = 512;
constexpr u32 ITEMS = 11;
constexpr u32 TILE = THREADS * ITEMS;

// 42 bits in six passes.
struct ByKey {
    static constexpr u32 BITS = KEY_BITS;
    static constexpr u64 PADDING = ~0ull;  // comes after digis that have the largest key too

    __device__ __forceinline__ static u64 key(u64 digi) { return digi_key(digi); }
};

using Sort = BlockMerge<THREADS, ITEMS, ByKey>;
using Shared = Sort::Shared;
static_assert(Sort::TILE == TILE, "what the launcher counts with");

}  // namespace

// Sorts each segment of `digis`, with `scratch` of the same size; segment s is
// at positions begins[s] .. begins[s + 1]. A block a segment.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    block_merge_sort(u64* digis, u64* scratch, const u32* begins) {
    SMEM_DYN(Shared, shared_memory);
    const u32 begin = begins[blockIdx.x];
    Sort::sort(digis + begin, scratch + begin, begins[blockIdx.x + 1] - begin, *shared_memory);
}
KERNEL_EXPORT(block_merge_sort)
KERNEL_SHARED(block_merge_sort, Shared)
