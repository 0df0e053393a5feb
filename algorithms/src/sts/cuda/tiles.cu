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
// moving see `StreamTiles::Tile`.
#include "tiles.h"

namespace {

// Digis of a thread: with their sides and ranks they fill its registers.
constexpr u32 ITEMS = 12;
// A multiprocessor has shared memory for two tiles.
constexpr u32 THREADS = 512;
constexpr u32 BLOCKS = 2;
constexpr u32 TILE = THREADS * ITEMS;
// Tiles of blocks that have a multiprocessor to themselves. If there are many sides, so that a tile
// has few digis of each, a block reserves offsets less often, and writes longer runs.
constexpr u32 WIDE_THREADS = 1024;
constexpr u32 WIDE_BLOCKS = 1;
constexpr u32 WIDE_TILE = WIDE_THREADS * ITEMS;

using Tiles = StreamTiles<THREADS, ITEMS>;
using WideTiles = StreamTiles<WIDE_THREADS, ITEMS>;
static_assert(Tiles::TILE == TILE && WideTiles::TILE == WIDE_TILE, "what the launcher counts with");

}  // namespace

KERNEL_INSTANCE(presort_tiles_count, TileSort, (THREADS), Tiles::count_sides<WholeStream>)
KERNEL_INSTANCE(presort_tiles_scatter, TileSort, (THREADS, BLOCKS), Tiles::scatter_tiles<WholeStream>)
KERNEL_SHARED(presort_tiles_scatter, Tiles::Tile)
KERNEL_INSTANCE(presort_tiles_scatter_wide, TileSort, (WIDE_THREADS, WIDE_BLOCKS), WideTiles::scatter_tiles<WholeStream>)
KERNEL_SHARED(presort_tiles_scatter_wide, WideTiles::Tile)
KERNEL_INSTANCE(presort_part_count, TileSort, (THREADS), Tiles::count_sides<Part>)
KERNEL_INSTANCE(presort_part_scatter, TileSort, (THREADS, BLOCKS), Tiles::scatter_tiles<Part>)
KERNEL_SHARED(presort_part_scatter, Tiles::Tile)
