// Inclusive prefix sums in one pass over the data, by decoupled look-back: each block publishes the
// sum of its tile at once, and looks back at those of earlier tiles (Merrill, Garland 2016).
#include "scan.h"

namespace {
constexpr u32 THREADS = 256;
}

// `states` has a word for each tile and `ticket` one word, all zero.
extern "C" __global__ void __launch_bounds__(THREADS)
    prefix_sum(const u32* values, u32* sums, u32 count, u64* states, u32* ticket) {
    __shared__ u32 warp_sums[THREADS / LANES];
    __shared__ u32 tile, before_tile;
    // Tiles are numbered in the order in which blocks start, so that earlier ones are running.
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
    __syncthreads();
    const u32 i = tile * THREADS + threadIdx.x;
    const u32 value = i < count ? values[i] : 0;
    u32 total;
    const u32 before = block_exclusive_sum<THREADS>(value, warp_sums, total);
    if (threadIdx.x < LANES) {
        const u32 sum = sum_before(states, tile, total);
        if (threadIdx.x == 0) before_tile = sum;
    }
    __syncthreads();
    if (i < count) sums[i] = before_tile + before + value;
}
KERNEL_EXPORT(prefix_sum)
