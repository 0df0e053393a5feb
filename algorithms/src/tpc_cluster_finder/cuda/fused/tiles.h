// Iteration over all tiles, each of which is loaded to a strip in shared memory.
#pragma once
#include "peaks.h"

namespace {

struct Tiles {
    const u32* binned;
    const Tile* tiles;
    u32 count;
    const Sector* sectors;
    const RowShape* rows;
    const u32* noisy;

    // Calls `form(tile, shape)` for the tiles of this block, one after the other, once charges and
    // the remaining peaks are in the strip.
    template <class Form> __device__ __forceinline__ void for_each(Strip& strip, Form form) const {
        const Tile no_tile = {};
        Tile next = blockIdx.x < count ? tiles[blockIdx.x] : no_tile;
        for (u32 i = blockIdx.x; i < count; i += gridDim.x) {
            const Tile tile = next;
            const Shape shape(rows[tile.row % ROWS], tile.number);
            Batch first;
            first.load(binned, tile.begin, tile.end, shape.no_sample());
            clear(strip, shape, sectors[tile.row / ROWS].settings, noisy + tile.row * NOISY_WORDS);
            __syncthreads();
            fill(strip, binned, tile, shape, first);
            __syncthreads();
            find_peaks(strip, binned, tile, shape, first);
            __syncthreads();
            // Prefetched while clusters are formed.
            next = i + gridDim.x < count ? tiles[i + gridDim.x] : no_tile;
            suppress_noise(strip, shape);
            __syncthreads();
            form(tile, shape);
            __syncthreads();
        }
    }
};

}  // namespace
