// The cells around a peak by index, for distribution over threads.
#pragma once
#include "job.h"
#include "scan.h"

// The cells around a peak by index, for distribution over threads.

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

// Peaks that are bumps on the slopes of larger ones.

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

// Charges that several peaks claim.

// An equal part for each of `peaks` peaks, with its flags.
PORTABLE_INLINE u32 share_of(u32 charge, u32 peaks) {
    return charge / max(peaks, 1u) | (peaks > 1 ? DIVIDED : 0);
}

// Work sharing of the threads of a block, as published: threads that still have work publish their
// positions to the block, all threads together load the cells around them, and then each thread
// processes its own.

// Rank of each thread among those that still have work, and their number. All threads have to call
// it; a barrier is needed before `warp_sums` is used again.
struct WorkingThreads {
    u32 rank, count;  // of the thread, and of all
};

template <u32 THREADS> PORTABLE_INLINE WorkingThreads working_threads(bool has_work, u32* warp_sums) {
    WorkingThreads working;
    working.rank = block_exclusive_sum<THREADS>(has_work, warp_sums, working.count);
    return working;
}

// Calls `load(index, cell)` for each cell of each published position: neighbouring threads take
// neighbouring cells of the same position. Results go to shared memory in this order; the caller
// provides the barriers around it.
template <u32 THREADS, u32 CELLS, class T, class Load>
PORTABLE_INLINE void block_load(u32 positions, T* loaded, Load load) {
    for (u32 i = threadIdx.x; i < positions * CELLS; i += THREADS) loaded[i] = (T)load(i / CELLS, i % CELLS);
}
