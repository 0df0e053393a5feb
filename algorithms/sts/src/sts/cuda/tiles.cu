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

#include "formulas/stream.h"
#include "scan.h"

// Sorting a stream by side, tile by tile.

// The times of a module that are of a part: both are.
struct PartTimes {
    u32 first, last;
};

// Arguments of sorting a stream by side.
struct TileSort {
    const u64* digis;
    // Module of each address.
    const u32* modules;
    // Counts of the digis of sides: totals, and those that have got an offset so far.
    u32* totals;
    // Offsets of sides.
    const u32* side_offsets;
    u32* taken;
    u64* to;
    // The times of each module, if only digis of a part are wanted.
    const PartTimes* times;
    u32 count;
    // Addresses whose modules are cached in shared memory: all or none.
    u32 addresses;
    u32 sides;
    // The first counter of a back side.
    u32 backs;
};

namespace {

// Digis that a thread loads before it uses any, when it counts.
constexpr u32 AHEAD = 8;
// A side and a rank among its digis, in one word.
constexpr u32 RANK_BITS = 14;

// Marks a digi of another part, instead of a side and rank.
constexpr u32 NOT_OF_PART = ~0u;

// Selects all digis of the stream.
struct WholeStream {
    __device__ __forceinline__ explicit WholeStream(const TileSort&) {}
    __device__ __forceinline__ bool has(u64, u32) const { return true; }
};

// Selects the digis of a part.
struct Part {
    const PartTimes* times;
    u32 modules;

    __device__ __forceinline__ explicit Part(const TileSort& all) : times(all.times), modules(all.sides / 2) {}
    __device__ __forceinline__ bool has(u64 digi, u32 side) const {
        const PartTimes module_times = times[side < modules ? side : side - modules];
        const u32 time = digi_time(digi);
        return module_times.first <= time && time <= module_times.last;
    }
};

// Indices of the counters of sides in device memory, where back sides start at `backs`: timeslices
// of a batch have those of all fronts before those of all backs.
struct CounterIndices {
    u32 modules, backs;

    __device__ __forceinline__ explicit CounterIndices(const TileSort& all) : modules(all.sides / 2), backs(all.backs) {}
    __device__ __forceinline__ u32 operator()(u32 side) const {
        return side < modules ? side : backs + side - modules;
    }
};

// Tiles of a block of `THREADS` threads with `ITEMS` digis each.
template <u32 THREADS, u32 ITEMS> struct StreamTiles {
    static constexpr u32 TILE = THREADS * ITEMS;
    static_assert(TILE <= 1 << RANK_BITS, "a rank has RANK_BITS bits");
    // A tile in shared memory, with the layout that the host allocates.
    struct Tile {
        u64 digis[TILE];
        u16 sides[TILE];
        u32 warp_sums[LANES];
        // A word for each side: first the tile's digis of it, then the destination of its first one
        // minus its offset in the tile. The offsets of sides in the tile follow, then the modules of
        // addresses.
        u32 words[1];
    };

    // Caches the modules of `addresses` addresses in shared memory, where lookups of different lanes
    // seldom conflict; returns the original table if there are none to cache. A barrier is needed
    // after.
    __device__ __forceinline__ static const u32* cached_modules(const u32* modules, u32 addresses, u32* cache) {
        for (u32 i = threadIdx.x; i < addresses; i += THREADS) cache[i] = modules[i];
        return addresses > 0 ? cache : modules;
    }

    // Clears a word for each side. Includes a barrier.
    __device__ __forceinline__ static void clear(u32* words, u32 sides) {
        for (u32 side = threadIdx.x; side < sides; side += THREADS) words[side] = 0;
        __syncthreads();
    }

    // The digis of a thread, each with its side and its rank among the tile's digis of it.
    struct ThreadDigis {
        u64 digis[ITEMS];
        u32 ranked[ITEMS];

        __device__ __forceinline__ bool has(u32 item) const { return ranked[item] != NOT_OF_PART; }
        __device__ __forceinline__ u32 side(u32 item) const { return ranked[item] >> RANK_BITS; }
        __device__ __forceinline__ u32 rank(u32 item) const { return ranked[item] & ((1u << RANK_BITS) - 1); }
    };

    // Loads all digis of a tile.
    __device__ __forceinline__ static void load_tile(const Stream& stream, u32 first, u32 end, ThreadDigis& thread_digis) {
#pragma unroll
        for (u32 item = 0; item < ITEMS; item++) {
            const u32 index = first + item * THREADS + threadIdx.x;
            thread_digis.digis[item] = index < end ? stream.digis[index] : 0;
        }
    }

    // Counts the wanted digis of a tile by side: the modules of all are loaded before any is counted.
    template <class Wanted>
    __device__ __forceinline__ static void count_tile(const Stream& stream, const Wanted& wanted, u32 first, u32 end, u32* counts,
                                               ThreadDigis& thread_digis) {
#pragma unroll
        for (u32 item = 0; item < ITEMS; item++) thread_digis.ranked[item] = stream.side_of(thread_digis.digis[item]);
#pragma unroll
        for (u32 item = 0; item < ITEMS; item++) {
            const u32 side = thread_digis.ranked[item];
            const bool is_wanted = first + item * THREADS + threadIdx.x < end && wanted.has(thread_digis.digis[item], side);
            thread_digis.ranked[item] = is_wanted ? side << RANK_BITS | atomicAdd(&counts[side], 1u) : NOT_OF_PART;
        }
    }

    // Turns counts into offsets in the tile, and reserves offsets for all digis of each side; returns
    // the number of digis.
    __device__ __forceinline__ static u32 reserve_offsets(const TileSort& all, Tile& tile, u32* offsets_in_tile) {
        const u32 sides = all.sides;
        const CounterIndices counter_of(all);
        u32 before = 0;
        for (u32 first = 0; first < sides; first += THREADS) {
            const u32 side = first + threadIdx.x;
            const u32 count = side < sides ? tile.words[side] : 0;
            u32 total;
            const u32 offset = before + block_exclusive_sum<THREADS>(count, tile.warp_sums, total);
            before += total;
            if (side < sides) {
                offsets_in_tile[side] = offset;
                const u32 counter = counter_of(side);
                if (count > 0) tile.words[side] = all.side_offsets[counter] + atomicAdd(&all.taken[counter], count) - offset;
            }
            __syncthreads();
        }
        return before;
    }

    // Brings a tile's digis into order of sides in shared memory, by the offsets of sides in the tile.
    __device__ __forceinline__ static void stage_tile(const ThreadDigis& thread_digis, const u32* tile_offsets, Tile& tile) {
#pragma unroll
        for (u32 item = 0; item < ITEMS; item++) {
            if (!thread_digis.has(item)) continue;
            const u32 index = tile_offsets[thread_digis.side(item)] + thread_digis.rank(item);
            tile.digis[index] = of_side(thread_digis.digis[item]);
            tile.sides[index] = (u16)thread_digis.side(item);
        }
    }

    // Adds the wanted digis of each side to the totals. In shared memory is a word for each side, and
    // for each cached address.
    template <class Wanted> __device__ __forceinline__ static void count_sides(const TileSort& all) {
        SMEM_DYN(u32, counts);
        const u32 count = all.count;
        const Wanted wanted(all);
        const CounterIndices counter_of(all);
        Stream stream = {all.digis, all.modules, all.sides};
        stream.modules = cached_modules(stream.modules, all.addresses, counts + stream.sides);
        clear(counts, stream.sides);
        const u32 round = THREADS * AHEAD;
        for (u64 first = (u64)blockIdx.x * round; first < count; first += (u64)gridDim.x * round) {
            u64 loaded[AHEAD];
#pragma unroll
            for (u32 i = 0; i < AHEAD; i++) {
                const u64 index = first + i * THREADS + threadIdx.x;
                loaded[i] = index < count ? stream.digis[index] : 0;
            }
#pragma unroll
            for (u32 i = 0; i < AHEAD; i++) {
                if (first + i * THREADS + threadIdx.x >= count) continue;
                const u32 side = stream.side_of(loaded[i]);
                if (wanted.has(loaded[i], side)) atomicAdd(&counts[side], 1u);
            }
        }
        __syncthreads();
        for (u32 side = threadIdx.x; side < stream.sides; side += THREADS) {
            if (counts[side] > 0) atomicAdd(&all.totals[counter_of(side)], counts[side]);
        }
    }

    // Moves the wanted digis of tiles to their sides, channels counted on the side, in a grid-stride
    // loop. While a tile is written, the loads of the next one are in flight.
    template <class Wanted> __device__ __forceinline__ static void scatter_tiles(const TileSort& all) {
        SMEM_DYN(Tile, shared);
        Tile& tile = *shared;
        const u32 count = all.count;
        const Wanted wanted(all);
        Stream stream = {all.digis, all.modules, all.sides};
        u32* tile_offsets = tile.words + stream.sides;
        stream.modules = cached_modules(stream.modules, all.addresses, tile_offsets + stream.sides);
        const auto end_of = [=](u64 first) { return (u32)min((u64)count, first + TILE); };
        ThreadDigis thread_digis;
        u64 first = (u64)blockIdx.x * TILE;
        if (first < count) load_tile(stream, (u32)first, end_of(first), thread_digis);
        while (first < count) {
            clear(tile.words, stream.sides);
            count_tile(stream, wanted, (u32)first, end_of(first), tile.words, thread_digis);
            __syncthreads();
            const u32 moved = reserve_offsets(all, tile, tile_offsets);
            stage_tile(thread_digis, tile_offsets, tile);
            __syncthreads();
            first += (u64)gridDim.x * TILE;
            if (first < count) load_tile(stream, (u32)first, end_of(first), thread_digis);
            for (u32 index = threadIdx.x; index < moved; index += THREADS)
                all.to[tile.words[tile.sides[index]] + index] = tile.digis[index];
            __syncthreads();
        }
    }
};

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
