// Peaks that are bumps on the slopes of larger ones.
#pragma once
#include "job.h"
#include "steps.h"

// Cells in which larger peaks are searched: within two pads and three time bins, but not adjacent
// to the peak.
constexpr u32 NOISE_CELLS = 26;
constexpr u32 WIDE_LINES = 20;

// Four lines of five cells, then the cells on either side of the lines between them.
PORTABLE_INLINE Step noise_cell(u32 number) {
    if (number < WIDE_LINES) {
        const i32 line = (i32)(number / 5);
        return {(i32)(number % 5) - 2, line < 2 ? line - 3 : line};
    }
    const i32 cell = (i32)(number - WIDE_LINES);
    return {cell % 2 * 4 - 2, cell / 2 - 1};
}

// Cells that may be valleys: the neighbours, and the next cells in the direction of time.
constexpr u32 VALLEY_CELLS = NEIGHBOURS + 6;

PORTABLE_INLINE Step valley_cell(u32 number) {
    if (number < NEIGHBOURS) return neighbour(number);
    const i32 cell = (i32)(number - NEIGHBOURS);
    return {cell % 3 - 1, cell < 3 ? -2 : 2};
}

// A bit for each valley cell between the peak and a noise cell.
PORTABLE_INLINE u32 valleys_before(Step step) {
    const Step next = towards(step);
    const u32 first = 1u << neighbour_number(next);
    if (step.times != 3 && step.times != -3) return first;
    return first | 1u << (NEIGHBOURS + (u32)(next.pads + 1) + (next.times < 0 ? 0 : 3));
}
