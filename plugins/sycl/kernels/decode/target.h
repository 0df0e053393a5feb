// Output of samples: digits, or positions and entries in maps of charges. As pages/target.h of the
// native kernels.
//
// An output is that of a page. `make` converts a sample to the value that is stored for it, `cell`
// looks up the data of its pad.
#pragma once
#include "page.h"

namespace decode {

// A digit has 16 bits of ADC value, 16 of row and pad, 26 of time bin, 6 of sector.
struct DigitOutput {
    u64* values;
    u64 sector;

    DEVICE u32 cell(u32 pad) const { return pad; }

    DEVICE u64 make(u32 time_bin, u32 pad, u32 adc) const {
        const u32 high = u32(sector >> 32) | time_bin;
        const u32 low = pad << 16 | adc;
        return u64(high) << 32 | low;
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

struct ChargeOutput {
    // Data of a channel's pad for charges.
    struct Cell {
        float gain;
        u32 column;
    };

    const float* gains;  // of the sector, by column
    Fragment fragment;
    u32* values;
    u16* map;

    DEVICE Cell cell(u32 pad) const {
        const u32 column = (pad >> 8) * ROW_PITCH + (pad & 0xff) + PAD_MARGIN;
        return {gains[column], column};
    }

    // Samples have distinct entries in the map, within a page and between pages. A position has the
    // column in its lower half and the time in its upper one.
    DEVICE u32 make(u32 time_bin, Cell cell, u32 adc) const {
        if (time_bin - fragment.first_time_bin >= fragment.time_bins) return OUTSIDE;
        const u32 time = time_bin - fragment.first_time_bin + TIME_MARGIN;
        map[entry(cell.column, time)] = charge(cell, adc);
        return time << 16 | cell.column;
    }

  private:
    DEVICE u16 charge(Cell cell, u32 adc) const {
        const float charge = float(adc) * fragment.scale * cell.gain;
        return u16(charge < MAX_CHARGE ? charge : MAX_CHARGE);
    }

    DEVICE static u32 entry(u32 column, u32 time) {
        const u32 tile = time / TILE_TIMES * TILES_IN_ROW + column / TILE_PADS;
        return tile * (TILE_PADS * TILE_TIMES) + time % TILE_TIMES * TILE_PADS + column % TILE_PADS;
    }
};

// Pages and their jobs, for all decoders.
struct Decoding {
    const u8* pages;
    const PageRecord* records;
    const Job* jobs;
    // The first job of each fragment.
    const u32* job_offsets;
    u32 fragment;

    DEVICE u32 first_job() const { return job_offsets[fragment]; }
    DEVICE u32 end_of_jobs() const { return job_offsets[fragment + 1]; }
};

// Targets make the output of a page.
struct DigitTarget {
    u64* digits;

    DEVICE DigitOutput of(const PageRecord& page, u32 slot) const { return {digits + slot, u64(page.sector) << 58}; }
};

struct ChargeTarget {
    // Gains of all sectors, by column.
    const float* gains;
    const Fragment* fragments;
    u32* positions;
    u16* maps;
    u32 fragment;

    DEVICE ChargeOutput of(const PageRecord& page, u32 slot) const {
        const Fragment own = fragments[fragment];
        return {gains + page.sector * COLUMNS, own, positions + slot, maps + u64(page.map) * own.entries};
    }
};

}  // namespace decode
