// Common part of the link formats: a table of their channels.
#pragma once
#include "../pages/target.h"
#include "staged.h"

namespace {

constexpr u32 CHANNELS_OF_ENDPOINT = MAX_FECS_IN_HALF * CHANNELS_IN_LINK;
constexpr u32 ENDPOINTS_OF_SECTOR = 20;

// Tables of the data needed of each channel, prepared by the launcher: in the order of channels,
// padded to CHANNELS_OF_ENDPOINT. Digits need the same table for all sectors, charges have gains
// that differ by sector.
template <class Cell>
__device__ __forceinline__ u32 table_of(const PageRecord& page);
template <>
__device__ __forceinline__ u32 table_of<u16>(const PageRecord& page) {
    return page.endpoint;
}
template <>
__device__ __forceinline__ u32 table_of<ChargeCell>(const PageRecord& page) {
    return page.sector * ENDPOINTS_OF_SECTOR + page.endpoint;
}

// A page and the cells of its channels, for random access by samples.
template <u32 RUNS, class Cell, class Run = SampleRun>
struct LinkPage : Staged<RUNS, Run> {
    static constexpr u32 CELL_BYTES = sizeof(Cell);
    static constexpr u32 CELL_GRANULES = CHANNELS_OF_ENDPOINT * sizeof(Cell) / GRANULE;
    static_assert(CHANNELS_OF_ENDPOINT * sizeof(Cell) % GRANULE == 0, "whole granules");

    uint4 cell_granules[CELL_GRANULES];

    // Loads the cells of a page, unless they are loaded already. Barrier needed after.
    __device__ __forceinline__ void load_cells(const Cell* tables, const PageRecord& page, u32& loaded) {
        const u32 wanted = table_of<Cell>(page);
        if (wanted == loaded) return;
        loaded = wanted;
        const u8* bytes = reinterpret_cast<const u8*>(tables + wanted * CHANNELS_OF_ENDPOINT);
#pragma unroll 1
        for (u32 i = threadIdx.x; i < CELL_GRANULES; i += THREADS) cell_granules[i] = granule_at(bytes + i * GRANULE);
    }

    template <class Output>
    __device__ __forceinline__ Cell cell(const Output&, SampleRun, u32 channel) const {
        return reinterpret_cast<const Cell*>(cell_granules)[channel];
    }

    // The cell of a channel, by its byte offset.
    __device__ __forceinline__ Cell cell_at(u32 byte_offset) const {
        return *reinterpret_cast<const Cell*>(reinterpret_cast<const u8*>(cell_granules) + byte_offset);
    }
};

}  // namespace
