// Work sharing of the threads of a block, as published: threads that still have work publish their
// positions to the block, all threads together load the cells around them, and then each thread
// processes its own.
#pragma once
#include "block_scan.h"
#include "job.h"

// Index of each thread that still has work, in the order of threads. All threads have to call it; a
// barrier is needed before `warp_sums` is used again.
struct Place {
    u32 own, all;
};

template <u32 THREADS> PORTABLE_INLINE Place place_of_working(bool has_work, u32* warp_sums) {
    Place place;
    place.own = block_exclusive_sum<THREADS>(has_work, warp_sums, place.all);
    return place;
}

// Calls `load(place, cell)` for each cell of each published position: neighbouring threads take
// neighbouring cells of the same position. Results go to shared memory in this order; the caller
// provides the barriers around it.
template <u32 THREADS, u32 CELLS, class T, class Load>
PORTABLE_INLINE void block_load(u32 places, T* loaded, Load load) {
    for (u32 i = threadIdx.x; i < places * CELLS; i += THREADS) loaded[i] = (T)load(i / CELLS, i % CELLS);
}
