// Digis by module side as in `tiles.cu`, by tiles of twice the size. If there are many sides, so
// that a tile has few digis of each, a block reserves offsets less often, and writes longer runs.
#include "tiles/wide_block.h"
#include "tiles/tile.h"

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    presort_tiles_scatter_wide(const u64* digis, u32 count, const u32* modules, u32 addresses, u32 sides, u32 backs,
                               const u32* side_offsets, u32* taken, u64* to) {
    SMEM_DYN(Tile, tile);
    scatter_tiles({digis, modules, sides}, addresses, WholeStream{}, count, {sides / 2, backs}, side_offsets, taken, to,
                  *tile);
}
KERNEL_EXPORT(presort_tiles_scatter_wide, PresortTilesScatter)
KERNEL_SHARED(presort_tiles_scatter_wide, Tile)
