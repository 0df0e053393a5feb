// Noisy pads as published: from the maps of the first fragment, eight pads at a time, which are a
// cache line. A block stages their charges in shared memory, a charge for each thread, and then a
// thread for each pad iterates over them.
//
// Static shared memory: the charges of 8 pads in 8 time bins, 128 bytes.
#include "../../tpc_cluster_finder/cuda/finder/job.h"
#include "../../tpc_noisy_pads/cuda/pads.h"
#include "noisy.h"

namespace {

constexpr u32 THREADS = 64;
constexpr u32 TILE = TILE_PADS * CHARGE_TILE_TIMES;
// Lines of tiles that are staged at once.
constexpr u32 STAGED = THREADS / TILE;

}  // namespace

// Writes a byte with a bit for each pad of each group that is examined. A block for each group, by
// its column, of each sector. Maps have `entries` entries each, and `lines` lines of tiles.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_noisy_in_maps(const u16* maps, u32 entries, u32 lines, const u32* columns, u32 groups,
                       const __grid_constant__ Limits limits, u32 first_sector, u8* noisy) {
    __shared__ u16 staged[THREADS];
    const u32 slot = blockIdx.x / groups, column = columns[blockIdx.x % groups];
    const u16* tiles = maps + (u64)slot * entries + column / TILE_PADS * TILE;
    const u32 tile = threadIdx.x / TILE, in_tile = threadIdx.x % TILE;
    // The first line is the margin before the fragment.
    const u32 first_line = TIME_MARGIN / CHARGE_TILE_TIMES;
    // Time bins are processed in fours, so that the last ones may be outside of the map.
    const u32 end = min(first_line + limits.time_bins / CHARGE_TILE_TIMES, lines);
    Counts counts;
    for (u32 line = first_line; line < end; line += STAGED) {
        const u64 at = (u64)(line + tile) * TILES_IN_ROW * TILE + in_tile;
        staged[threadIdx.x] = line + tile < end ? tiles[at] : (u16)0;
        __syncthreads();
        if (threadIdx.x < TILE_PADS) {
#pragma unroll
            for (u32 time = 0; time < STAGED * CHARGE_TILE_TIMES; time++) {
                counts.add(staged[time * TILE_PADS + threadIdx.x]);
            }
        }
        __syncthreads();
    }
    const bool is_noisy = threadIdx.x < TILE_PADS &&
                          limits.are_passed_by(counts.charges, counts.longest_run, counts.largest);
    const lanemask_t votes = __ballot_sync(FULL_MASK, is_noisy);
    if (threadIdx.x == 0) {
        const u32 row = (column - PAD_MARGIN) / ROW_PITCH, pad = (column - PAD_MARGIN) % ROW_PITCH;
        const u64 row_of_all = (u64)(first_sector + slot) * ROWS + row;
        noisy[row_of_all * NOISY_WORDS * sizeof(u32) + pad / TILE_PADS] = (u8)votes;
    }
}
KERNEL_EXPORT(find_noisy_in_maps)
