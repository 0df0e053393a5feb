// Finds the samples that are peaks, as published: few samples are above the threshold, and the
// threads of a block load the neighbours of these together.
//
// Static shared memory: sums of warps, a position and eight charges of each thread, 2.7 KB.
#include "finder/steps.h"

namespace {

// As published for NVIDIA's Ampere.
constexpr u32 THREADS = 128;

PORTABLE_INLINE bool is_largest(const u16* neighbours, u32 charge) {
    bool is_so = true;
#pragma unroll
    for (u32 i = 0; i < NEIGHBOURS; i++) {
        is_so &= i < NEIGHBOURS_BEFORE ? charge >= neighbours[i] : charge > neighbours[i];
    }
    return is_so;
}

// Marks the samples that are peaks, and sets their flags in the map. A thread for each sample.
PORTABLE_INLINE void find_in_batch(const Finding& all) {
    __shared__ u32 warp_sums[LANES];
    __shared__ u32 working[THREADS];
    __shared__ u16 around[THREADS * NEIGHBOURS];
    const Part part(all);
    const Job job = part.job();
    const Settings& settings = part.settings(job);
    const Maps maps = part.maps();
    const u32 i = part.block * THREADS + threadIdx.x;
    const u32 position = i < job.samples ? job.list(all.positions)[i] : OUTSIDE;
    const bool is_silent = is_outside(position) || is_noisy(all.noisy, job.sector, position);
    const u32 charge = is_silent ? 0 : maps.charge(position);
    const bool has_work = (i32)charge > settings.qmax_cutoff;
    const WorkingThreads threads = working_threads<THREADS>(has_work, warp_sums);
    if (has_work) working[threads.rank] = position;
    __syncthreads();
    block_load<THREADS, NEIGHBOURS>(threads.count, around, [&](u32 other, u32 cell) {
        return maps.charge(plus(working[other], neighbour(cell)));
    });
    __syncthreads();
    const bool found = has_work && is_largest(around + threads.rank * NEIGHBOURS, charge);
    if (i < job.samples) job.list(all.marks)[i] = found;
    if (!is_outside(position)) {
        maps.peak(position) = (u8)((found ? PEAK : 0) | ((i32)charge > settings.inner_threshold ? ABOVE : 0));
    }
}

}  // namespace

KERNEL_INSTANCE(find_peaks, Finding, (THREADS), find_in_batch)
