// Divides charges that several peaks claim, as published: first the peaks adjacent to charges are
// loaded, then, for charges without any, the peaks two steps away, but only where the cell in
// between is above the threshold.
//
// Static shared memory: sums of warps, a position, a mask and 16 peaks of each thread, 8 KB.
#include "finder/steps.h"

namespace {

// As published for NVIDIA's Ampere.
constexpr u32 THREADS = 384;

struct Neighbours {
    u32 peaks = 0;
    // A bit for each neighbour that is above the inner threshold.
    u32 above = 0;
};

PORTABLE_INLINE Neighbours neighbours_of(const u8* neighbours) {
    Neighbours found;
#pragma unroll
    for (u32 i = 0; i < NEIGHBOURS; i++) {
        found.peaks += neighbours[i] & PEAK;
        found.above |= (u32)((neighbours[i] & ABOVE) != 0) << i;
    }
    return found;
}

PORTABLE_INLINE u32 peaks_in(const u8* ring) {
    u32 peaks = 0;
#pragma unroll
    for (u32 i = 0; i < RING; i++) peaks += ring[i] & PEAK;
    return peaks;
}

// A thread for each sample, which changes only its own charge.
PORTABLE_INLINE void divide_in_batch(const Finding& all) {
    __shared__ u32 warp_sums[LANES];
    __shared__ u32 working[THREADS];
    __shared__ u8 above[THREADS];
    __shared__ u8 around[THREADS * RING];
    const Part part(all);
    const Maps maps = part.maps();
    const u32 i = part.block * THREADS + threadIdx.x;
    const Job job = part.job();
    const u32 position = i < job.samples ? job.list(all.positions)[i] : OUTSIDE;
    const bool is_inside = !is_outside(position);
    const u32 charge = is_inside ? maps.charge(position) : 0;
    const bool is_peak = is_inside && (maps.peak(position) & PEAK) != 0;
    if (is_peak) maps.charge(position) = (u16)(charge | AT_PEAK);

    bool has_work = is_inside && !is_peak;
    WorkingThreads threads = working_threads<THREADS>(has_work, warp_sums);
    if (has_work) working[threads.rank] = position;
    __syncthreads();
    block_load<THREADS, NEIGHBOURS>(threads.count, around, [&](u32 other, u32 cell) {
        return maps.peak(plus(working[other], neighbour(cell)));
    });
    __syncthreads();
    Neighbours own;
    if (has_work) own = neighbours_of(around + threads.rank * NEIGHBOURS);
    if (own.peaks > 0) maps.charge(position) = (u16)(share_of(charge, own.peaks) | AT_PEAK);

    has_work &= own.peaks == 0;
    threads = working_threads<THREADS>(has_work, warp_sums);
    if (has_work) {
        working[threads.rank] = position;
        above[threads.rank] = (u8)own.above;
    }
    __syncthreads();
    block_load<THREADS, RING>(threads.count, around, [&](u32 other, u32 cell) -> u32 {
        const Step step = ring_cell(cell);
        const bool is_reached = (above[other] >> neighbour_number(half_way(step)) & 1) != 0;
        return is_reached ? maps.peak(plus(working[other], step)) : 0;
    });
    __syncthreads();
    if (has_work) maps.charge(position) = (u16)share_of(charge, peaks_in(around + threads.rank * RING));
}

}  // namespace

KERNEL_INSTANCE(divide_charges, Finding, (THREADS), divide_in_batch)
