// As published: each block has a range of roots, searches all links for those of its components,
// and one of its threads follows them.
//
// Dynamic shared memory: a list of the links that were found, a word for each thread.
#include "scan.h"
#include "resolve.h"

namespace {

constexpr u32 THREADS = 256;

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
    merge_components_blocks(const SliceTrack* tracks, const u32* links, const u32* roots, Relations* relations,
                            u32 count) {
    __shared__ u32 found[THREADS];
    __shared__ u32 warp_sums[LANES];
    const u32 each = (count + gridDim.x - 1) / gridDim.x;
    const u32 first = min(count, blockIdx.x * each), end = min(count, first + each);
    const Merger<Relations> merger{tracks, relations};
    for (u32 base = 0; base < count; base += THREADS) {
        const u32 track = base + threadIdx.x;
        bool own = false;
        if (track < count && links[track] != NONE) own = roots[track] >= first && roots[track] < end;
        u32 total;
        const u32 index = block_exclusive_sum<THREADS>(own, warp_sums, total);
        if (own) found[index] = track;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (u32 i = 0; i < total; i++) merger.follow(found[i], links[found[i]]);
        }
        __syncthreads();
    }
}
KERNEL_EXPORT(merge_components_blocks)
