// Work sharing of the threads of a block, as published: threads that still have work publish their
// positions to the block, all threads together load the cells around them, and then each thread
// processes its own.
#pragma once
#include "block_scan.h"
#include "job.h"

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
