// Ours: from the stream of a detector to digis by module side, by tiles in shared memory.
//
// A block brings a tile of the stream into order of sides before it writes it, so that what
// goes to a side lies together. Sides' counters are in shared memory; a block takes places
// for its digis of a side by one atomic. Digis of a side lie in no order: they are sorted
// later anyway.
//
// A stream may also be taken by parts of its time, which end where nothing happens in a module: at
// another time in each.
//
// Dynamic shared memory: a counter a side and the modules of `addresses`, for counting; for moving see `Tile`.
#include "tiles/block.h"
#include "tiles/tile.h"

// The digis of each side, added to `totals`, of which those of back sides begin at `backs`.
extern "C" __global__ void __launch_bounds__(THREADS)
    presort_tiles_count(const u64* digis, u32 count, const u32* modules, u32 addresses, u32 sides, u32 backs,
                        u32* totals) {
    SMEM_DYN(u32, counts);
    count_sides({digis, modules, sides}, addresses, Whole{}, count, {sides / 2, backs}, counts, totals);
}
KERNEL_EXPORT(presort_tiles_count)

// Moves digis to their sides, channels counted on the side. `taken` is zero at the start.
// Any number of blocks.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    presort_tiles_scatter(const u64* digis, u32 count, const u32* modules, u32 addresses, u32 sides, u32 backs,
                          const u32* begins, u32* taken, u64* to) {
    SMEM_DYN(Tile, tile);
    scatter_tiles({digis, modules, sides}, addresses, Whole{}, count, {sides / 2, backs}, begins, taken, to, *tile);
}
KERNEL_EXPORT(presort_tiles_scatter, PresortTilesScatter)
KERNEL_SHARED(presort_tiles_scatter, Tile)

// The same of those digis that are of a part: `times` has its times of each module.
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
                         const PartTimes* times, const u32* begins, u32* taken, u64* to) {
    SMEM_DYN(Tile, tile);
    scatter_tiles({digis, modules, sides}, addresses, Part{times, sides / 2}, count, {sides / 2, sides / 2}, begins,
                  taken, to, *tile);
}
KERNEL_EXPORT(presort_part_scatter)
KERNEL_SHARED(presort_part_scatter, Tile)
