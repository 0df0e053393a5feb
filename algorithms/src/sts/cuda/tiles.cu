// recobench: from the stream of a detector to digis by module side, by tiles in shared memory.
//
// A block sorts a tile of the stream by side before it writes it, so that digis of a side are
// contiguous. Counters of sides are in shared memory; a block reserves offsets for its digis of a
// side by one atomic. The order of digis of a side is unspecified: they are sorted later anyway.
//
// A stream may also be processed in parts of its time, which end in a gap of each module: at
// another time in each.
//
// Dynamic shared memory: a counter per side and the modules of `addresses`, for counting; for
// moving see `Tile`.
#include "tiles/block.h"
#include "tiles/tile.h"

// The digis of each side, added to `totals`, of which those of back sides begin at `backs`.
extern "C" __global__ void __launch_bounds__(THREADS)
    presort_tiles_count(const u64* digis, u32 count, const u32* modules, u32 addresses, u32 sides, u32 backs,
                        u32* totals) {
    SMEM_DYN(u32, counts);
    count_sides({digis, modules, sides}, addresses, WholeStream{}, count, {sides / 2, backs}, counts, totals);
}
KERNEL_EXPORT(presort_tiles_count)

// Moves digis to their sides, channels counted on the side. `taken` is zero at the start.
// Any number of blocks.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    presort_tiles_scatter(const u64* digis, u32 count, const u32* modules, u32 addresses, u32 sides, u32 backs,
                          const u32* side_offsets, u32* taken, u64* to) {
    SMEM_DYN(Tile, tile);
    scatter_tiles({digis, modules, sides}, addresses, WholeStream{}, count, {sides / 2, backs}, side_offsets, taken, to,
                  *tile);
}
KERNEL_EXPORT(presort_tiles_scatter, PresortTilesScatter)
KERNEL_SHARED(presort_tiles_scatter, Tile)

// Adds the digis of a part to the totals of sides: `times` has the part's times of each module.
extern "C" __global__ void __launch_bounds__(THREADS)
    presort_part_count(const u64* digis, u32 count, const u32* modules, u32 addresses, u32 sides,
                       const PartTimes* times, u32* totals) {
    SMEM_DYN(u32, counts);
    count_sides({digis, modules, sides}, addresses, Part{times, sides / 2}, count, {sides / 2, sides / 2}, counts,
                totals);
}
KERNEL_EXPORT(presort_part_count)

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    presort_part_scatter(const u64* digis, u32 count, const u32* modules, u32 addresses, u32 sides,
                         const PartTimes* times, const u32* side_offsets, u32* taken, u64* to) {
    SMEM_DYN(Tile, tile);
    scatter_tiles({digis, modules, sides}, addresses, Part{times, sides / 2}, count, {sides / 2, sides / 2},
                  side_offsets, taken, to, *tile);
}
KERNEL_EXPORT(presort_part_scatter)
KERNEL_SHARED(presort_part_scatter, Tile)
