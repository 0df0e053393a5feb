// Output of samples: digits, or positions and entries in maps of charges.
//
// A target is that of a launch, an output that of a page. `make` converts a sample to the value
// that is stored for it, `cell` looks up the data of its pad.
#pragma once
#include "page.h"

namespace {

// See generators::tpc::Digit: 16 bits of ADC value, 16 of row and pad, 26 of time bin,
// 6 of sector.
struct DigitOutput {
    using Cell = u16;   // row and pad
    using Value = u64;

    Value* values;
    u64 sector;

    __device__ __forceinline__ Cell cell(u32 pad) const { return (u16)pad; }

    __device__ __forceinline__ Value make(u32 time_bin, Cell pad, u32 adc) const {
        const u32 high = (u32)(sector >> 32) | time_bin, low = (u32)pad << 16 | adc;
        return (u64)high << 32 | low;
    }
};

struct DigitTarget {
    using Output = DigitOutput;

    __device__ __forceinline__ static Output of(const Decoding& all, const PageRecord& page, u32 slot) {
        return {all.digits + slot, (u64)page.sector << 58};
    }
};

constexpr u32 ROW_PITCH = 152;
constexpr u32 PAD_MARGIN = 8;
constexpr u32 TIME_MARGIN = 4;
constexpr u32 COLUMNS = 152 * ROW_PITCH + PAD_MARGIN;
constexpr u32 TILE_PADS = 8;
constexpr u32 TILE_TIMES = 4;
constexpr u32 TILES_IN_ROW = COLUMNS / TILE_PADS;
constexpr float MAX_CHARGE = 16383.0f;
// The position of a sample outside the fragment: column 0, time -1.
constexpr u32 OUTSIDE = 0xffff0000u;
// The charge that is listed for a sample after the fragment: larger than any valid one.
constexpr u16 BEHIND = 0xffff;

// Conversion to charges for a sector and a fragment.
struct ChargeMaker {
    using Cell = ChargeCell;

    const float* gains;  // of the sector, by column
    u32 first_time_bin, time_bins;
    float scale;

    __device__ __forceinline__ Cell cell(u32 pad) const {
        const u32 column = (pad >> 8) * ROW_PITCH + (pad & 0xff) + PAD_MARGIN;
        return {__ldg(&gains[column]), column};
    }

    __device__ __forceinline__ u16 charge(Cell cell, u32 adc) const {
        const float charge = (float)adc * scale * cell.gain;
        return (u16)(charge < MAX_CHARGE ? charge : MAX_CHARGE);
    }

    // The time in the map.
    __device__ __forceinline__ u32 time(u32 time_bin) const { return time_bin - first_time_bin + TIME_MARGIN; }

    __device__ __forceinline__ bool has(u32 time_bin) const { return time_bin - first_time_bin < time_bins; }
};

// A position has the column in its lower half and the time in its upper one.
__device__ __forceinline__ u32 position_of(u32 column, u32 time) { return time << 16 | column; }

struct ChargeOutput : ChargeMaker {
    using Value = u32;

    Value* values;
    u16* map;

    __device__ __forceinline__ ChargeOutput(const ChargeMaker& maker, Value* values, u16* map)
        : ChargeMaker(maker), values(values), map(map) {}

    __device__ __forceinline__ static u32 entry(u32 column, u32 time) {
        const u32 tile = time / TILE_TIMES * TILES_IN_ROW + column / TILE_PADS;
        return tile * (TILE_PADS * TILE_TIMES) + time % TILE_TIMES * TILE_PADS + column % TILE_PADS;
    }

    // Samples have distinct entries in the map, within a page and between pages.
    __device__ __forceinline__ Value make(u32 time_bin, Cell cell, u32 adc) const {
        if (!has(time_bin)) return OUTSIDE;
        map[entry(cell.column, time(time_bin))] = charge(cell, adc);
        return position_of(cell.column, time(time_bin));
    }
};

__device__ __forceinline__ ChargeMaker maker_of(const Fragment& fragment, const float* gains, const PageRecord& page) {
    return {gains + page.sector * COLUMNS, fragment.first_time_bin, fragment.time_bins, fragment.scale};
}

struct ChargeTarget {
    using Output = ChargeOutput;

    __device__ __forceinline__ static Output of(const Decoding& all, const PageRecord& page, u32 slot) {
        const Fragment own = all.fragments[all.fragment];
        return {maker_of(own, all.gains, page), all.positions + slot, all.maps + (u64)page.map * own.entries};
    }
};

}  // namespace
