// Pads in groups of a cache line, as published: a block stages the charges of eight pads in shared
// memory, a charge for each thread, and then a thread for each pad iterates over them.
//
// Static shared memory: the charges of 8 pads in 8 time bins, 128 bytes.
#include "map.h"
#include "pads.h"

namespace {

constexpr u32 THREADS = 64;
// Consecutive tiles in time that are staged at once.
constexpr u32 STAGED = THREADS / TILE;

}  // namespace

// Activity of each pad of each group. A block for each group of each sector.
extern "C" __global__ void __launch_bounds__(THREADS)
    noisy_pads_cache_line(const u16* maps, const uint2* groups, PadActivity* activity, u32 group_count,
                          u32 tile_rows, const __grid_constant__ Thresholds thresholds) {
    __shared__ u16 staged[THREADS];
    const u32 sector = blockIdx.x / group_count;
    const Group group = group_at(groups, blockIdx.x % group_count);
    const u16* map = maps + first_tile(sector, tile_rows, group) * TILE;
    const u32 tile = threadIdx.x / TILE, in_tile = threadIdx.x % TILE;
    Counts counts;
    for (u32 row = 0; row < tile_rows; row += STAGED) {
        const u64 at = (u64)(row + tile) * TILES_IN_ROW * TILE + in_tile;
        staged[threadIdx.x] = row + tile < tile_rows ? map[at] : (u16)0;
        __syncthreads();
        if (threadIdx.x < TILE_PADS) {
#pragma unroll
            for (u32 time = 0; time < STAGED * TILE_TIMES; time++) {
                counts.add(staged[time * TILE_PADS + threadIdx.x]);
            }
        }
        __syncthreads();
    }
    if (threadIdx.x < group.pads) {
        activity[sector * PADS_IN_SECTOR + group.first_pad + threadIdx.x] =
            activity_of(counts.charges, counts.longest_run, counts.largest, thresholds);
    }
}
KERNEL_EXPORT(noisy_pads_cache_line, NoisyPads)
