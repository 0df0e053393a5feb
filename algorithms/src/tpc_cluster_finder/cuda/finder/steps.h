// The cells around a peak by index, for distribution over threads.
#pragma once
#include "map.h"

// Neighbours: pads first, then time bins; the fourth is the last one before the peak.
constexpr u32 NEIGHBOURS = 8;
constexpr u32 NEIGHBOURS_BEFORE = 4;

PORTABLE_INLINE Step neighbour(u32 number) {
    const u32 cell = number + (number >= NEIGHBOURS_BEFORE);
    return {(i32)(cell / 3) - 1, (i32)(cell % 3) - 1};
}

PORTABLE_INLINE u32 neighbour_number(Step step) {
    const u32 cell = (u32)((step.pads + 1) * 3 + step.times + 1);
    return cell - (cell > NEIGHBOURS_BEFORE);
}

// Outer cells, next to the neighbours: two steps away.
constexpr u32 RING = 16;

// Five cells on either side in pads, then three on either side in time bins.
PORTABLE_INLINE Step ring_cell(u32 number) {
    if (number < 10) return {number < 5 ? -2 : 2, (i32)(number % 5) - 2};
    return {(i32)(number - 10) % 3 - 1, number < 13 ? -2 : 2};
}

PORTABLE_INLINE i32 sign(i32 value) { return (value > 0) - (value < 0); }
// One step towards a cell.
PORTABLE_INLINE Step towards(Step step) { return {sign(step.pads), sign(step.times)}; }
// The cell between a charge and a peak two steps away, relative to the charge.
PORTABLE_INLINE Step half_way(Step step) { return {step.pads / 2, step.times / 2}; }
