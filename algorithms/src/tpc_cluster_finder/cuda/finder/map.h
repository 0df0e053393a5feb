// Charges and peaks of a fragment of a sector, in tiles of a cache line each, as on the host:
// see charge_map.rs and cpu/published/maps.rs.
//
// A position has the column of a pad in its lower half, and in the upper one a line, which is a
// time bin of the fragment. Margins are wide enough that no step from a sample leaves the map.
#pragma once
#include "../finding.h"

// Columns from the start of a row of pads to that of the next one, and before the first.
constexpr u32 ROW_PITCH = 152;
constexpr u32 PAD_MARGIN = 8;
// Time bins before a fragment and after it.
constexpr u32 TIME_MARGIN = 4;
constexpr u32 COLUMNS = ROWS * ROW_PITCH + PAD_MARGIN;
// Pads of a tile of either map, and the time bins of each.
constexpr u32 TILE_PADS = 8;
constexpr u32 CHARGE_TILE_TIMES = 4;
constexpr u32 PEAK_TILE_TIMES = 8;
constexpr u32 TILES_IN_ROW = COLUMNS / TILE_PADS;

// The position of a sample outside of the fragment: its line is negative.
constexpr u32 OUTSIDE = 0xffff0000;

// Entry of a charge: its bits,
constexpr u32 CHARGE = 0x3fff;
// true if there is a peak in its neighbourhood, or it is one,
constexpr u32 AT_PEAK = 0x4000;
// and a flag for a divided charge.
constexpr u32 DIVIDED = 0x8000;

// Entry of a peak: a flag for a peak,
constexpr u32 PEAK = 1;
// and one for a charge above the inner threshold.
constexpr u32 ABOVE = 2;

// A step of pads and time bins.
struct Step {
    i32 pads, times;
};

PORTABLE_INLINE u32 column_of(u32 position) { return position & 0xffff; }
PORTABLE_INLINE u32 line_of(u32 position) { return position >> 16; }
PORTABLE_INLINE bool is_outside(u32 position) { return (position & 0x80000000) != 0; }

PORTABLE_INLINE u32 position_at(u32 row, u32 pad, u32 local_time) {
    return (local_time + TIME_MARGIN) << 16 | (row * ROW_PITCH + pad + PAD_MARGIN);
}

// The position a step away: columns stay above 0, so nothing is borrowed from the time.
PORTABLE_INLINE u32 plus(u32 position, Step step) {
    return position + (u32)(step.times * 65536 + step.pads);
}

template <u32 TILE_TIMES> PORTABLE_INLINE u32 entry_at(u32 position) {
    const u32 column = column_of(position), line = line_of(position);
    const u32 tile = line / TILE_TIMES * TILES_IN_ROW + column / TILE_PADS;
    return (tile * TILE_TIMES + line % TILE_TIMES) * TILE_PADS + column % TILE_PADS;
}

// Both maps of a fragment.
struct Maps {
    u16* charges;
    u8* peaks;

    __device__ __forceinline__ u16& charge(u32 position) const {
        return charges[entry_at<CHARGE_TILE_TIMES>(position)];
    }
    __device__ __forceinline__ u8& peak(u32 position) const {
        return peaks[entry_at<PEAK_TILE_TIMES>(position)];
    }
};
