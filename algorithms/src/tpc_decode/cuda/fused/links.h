// What the formats of links have in common: a table of their channels.
#pragma once
#include "../pages/target.h"
#include "staged.h"

namespace {

constexpr u32 CHANNELS_OF_ENDPOINT = MAX_FECS_IN_HALF * CHANNELS_IN_LINK;
constexpr u32 ENDPOINTS_OF_SECTOR = 20;

// What is needed of each channel is made by the launcher, in the order of channels.
// Digits need the same of all sectors, charges have gains of their own in each.
__device__ __forceinline__ const u16* cells_of(const u16* cells, const PageRecord& page) {
    return cells + page.endpoint * CHANNELS_OF_ENDPOINT;
}
__device__ __forceinline__ const ChargeCell* cells_of(const ChargeCell* cells, const PageRecord& page) {
    return cells + (page.sector * ENDPOINTS_OF_SECTOR + page.endpoint) * CHANNELS_OF_ENDPOINT;
}

// A page and the cells of its channels: samples ask for those of channels anywhere.
template <u32 RUNS, class Cell, class Run = SampleRun>
struct LinkPage : Staged<RUNS, Run> {
    static constexpr u32 CELL_BYTES = sizeof(Cell);
    static constexpr u32 CELL_GRANULES = CHANNELS_OF_ENDPOINT * sizeof(Cell) / GRANULE;
    static_assert(CHANNELS_OF_ENDPOINT * sizeof(Cell) % GRANULE == 0, "whole granules");

    uint4 cell_granules[CELL_GRANULES];

    // Loads the cells of a page, unless they are there. Barrier needed after.
    __device__ __forceinline__ void load_cells(const Cell* all, const PageRecord& page, const Cell*& loaded) {
        const Cell* wanted = cells_of(all, page);
        if (wanted == loaded) return;
        loaded = wanted;
        const u8* bytes = reinterpret_cast<const u8*>(wanted);
#pragma unroll 2
        for (u32 i = threadIdx.x; i < CELL_GRANULES; i += THREADS) cell_granules[i] = granule_at(bytes + i * GRANULE);
    }

    template <class Output>
    __device__ __forceinline__ Cell cell(const Output&, SampleRun, u32 channel) const {
        return reinterpret_cast<const Cell*>(cell_granules)[channel];
    }

    // The cell of a channel by its place in bytes.
    __device__ __forceinline__ Cell cell_at(u32 place) const {
        return *reinterpret_cast<const Cell*>(reinterpret_cast<const u8*>(cell_granules) + place);
    }
};

}  // namespace
