// Removes peaks that are bumps on the slopes of larger ones, as published: the threads of a block
// load together the charges between peaks, then the larger peaks, half of the cells at a time.
//
// Static shared memory: a position and 14 charges of each thread, 14.3 KB.
#include "finder/steps.h"

namespace {

// As published for NVIDIA's Ampere.
constexpr u32 THREADS = 448;
// Cells with other peaks that are loaded at once.
constexpr u32 HALF = NOISE_CELLS / 2;
constexpr u32 SCRATCH = THREADS * VALLEY_CELLS;
static_assert(HALF <= VALLEY_CELLS, "both loads fit");

// A bit for each cell that is a valley of a peak.
PORTABLE_INLINE u32 valleys_in(const u16* between, u32 charge, const Settings& settings) {
    u32 valleys = 0;
#pragma unroll
    for (u32 i = 0; i < VALLEY_CELLS; i++) valleys |= (u32)is_valley((i32)charge, between[i], settings) << i;
    return valleys;
}

// Returns true if there is a larger peak in a half of the cells, and no valley in between.
template <u32 FIRST> PORTABLE_INLINE bool is_below(const u16* others, u32 charge, u32 valleys) {
    bool is_so = false;
#pragma unroll
    for (u32 i = 0; i < HALF; i++) {
        is_so |= others[i] > charge && (valleys & valleys_before(noise_cell(FIRST + i))) == 0;
    }
    return is_so;
}

// Marks the raw peaks that are not suppressed. A thread for each peak; threads beyond the last one
// repeat it.
PORTABLE_INLINE void suppress_in_batch(const Finding& all) {
    __shared__ u32 positions[THREADS];
    __shared__ u16 scratch[SCRATCH];
    const Part part(all);
    const Job job = part.job();
    const Settings& settings = part.settings(job);
    const Maps maps = part.maps();
    const u32 count = part.counts().raw, step = all.blocks_of_job * THREADS;
    for (u32 first = part.block * THREADS; first < count; first += step) {
        const u32 here = min(THREADS, count - first), own = min(u32(threadIdx.x), here - 1);
        const u32 peak = job.list(all.raw)[first + own], charge = maps.charge(peak);
        // The charge of a cell that is a peak.
        const auto other = [&](u32 index, u32 cell) -> u32 {
            const u32 position = plus(positions[index], noise_cell(cell));
            return (maps.peak(position) & PEAK) != 0 ? maps.charge(position) : 0;
        };
        positions[threadIdx.x] = peak;
        __syncthreads();
        block_load<THREADS, VALLEY_CELLS>(here, scratch, [&](u32 index, u32 cell) {
            return maps.charge(plus(positions[index], valley_cell(cell)));
        });
        __syncthreads();
        const u32 valleys = valleys_in(scratch + own * VALLEY_CELLS, charge, settings);
        __syncthreads();
        block_load<THREADS, HALF>(here, scratch, [&](u32 index, u32 cell) { return other(index, cell); });
        __syncthreads();
        bool is_noise = is_below<0>(scratch + own * HALF, charge, valleys);
        __syncthreads();
        block_load<THREADS, HALF>(here, scratch, [&](u32 index, u32 cell) { return other(index, HALF + cell); });
        __syncthreads();
        is_noise |= is_below<HALF>(scratch + own * HALF, charge, valleys);
        if (threadIdx.x < here) job.list(all.marks)[first + own] = !is_noise;
        __syncthreads();
    }
}

}  // namespace

KERNEL_INSTANCE(suppress_noise, Finding, (THREADS), suppress_in_batch)
