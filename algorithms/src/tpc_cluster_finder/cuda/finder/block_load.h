// How the threads of a block share work, as published: those that still have something to do hand
// their positions to all, and all together load what is around them; then each looks at its own.
#pragma once
#include "block_scan.h"
#include "job.h"

// A place for each thread that still has work, in the order of threads. All of them have to call
// it; a barrier is needed before `warp_sums` is used again.
struct Place {
    u32 own, all;
};

template <u32 THREADS> PORTABLE_INLINE Place place_of_working(bool has_work, u32* warp_sums) {
    Place place;
    place.own = block_exclusive_sum<THREADS>(has_work, warp_sums, place.all);
    return place;
}

// Calls `load(place, cell)` for each cell of each place: neighbouring threads take neighbouring
// cells of the same place. Results go to shared memory in this order, and barriers around it are
// the caller's.
template <u32 THREADS, u32 CELLS, class T, class Load>
PORTABLE_INLINE void block_load(u32 places, T* loaded, Load load) {
    for (u32 i = threadIdx.x; i < places * CELLS; i += THREADS) loaded[i] = (T)load(i / CELLS, i % CELLS);
}
