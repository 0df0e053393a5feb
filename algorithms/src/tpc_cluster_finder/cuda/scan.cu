// Compacts lists as published, preserving their order: a sum for each tile, then sums of sums level
// by level until one block has all of them, then back down, and finally positions are stored at
// their offsets.
//
// A level has a word for each tile of the previous level; levels are stored one after the other.
//
// Static shared memory: sums of warps, at most 128 bytes.
#include "block_scan.h"
#include "finder/marked.h"

namespace {

constexpr u32 THREADS = COMPACTED_TILE;

// Start of a job's levels among all sums.
PORTABLE_INLINE u32* sums_of(u32* sums, const Part& part, u32 sums_of_job) { return sums + (u64)part.slot * sums_of_job; }

// The words of a level: level 0 has one for each tile.
PORTABLE_INLINE u32 words_in(u32 level, u32 count) {
    for (u32 i = 0; i <= level; i++) count = tiles_of(count);
    return count;
}

}  // namespace

// Counts the marks of each tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_start(const Job* jobs, const PeakCounts* counts, const u8* marks, u32 target, u32* sums, u32 sums_of_job,
               const __grid_constant__ Batch batch) {
    const Part part(batch);
    const Job job = part.job(jobs, batch);
    const u32 count = count_of(job, counts[part.slot], target);
    const Marked marked = {nullptr, job.list(marks), count};
    for (u32 tile = part.block; tile < tiles_of(count); tile += batch.blocks_of_job) {
        const u32 sum = (u32)__syncthreads_count(marked.is_marked(tile * THREADS + threadIdx.x));
        if (threadIdx.x == 0) sums_of(sums, part, sums_of_job)[tile] = sum;
    }
}
KERNEL_EXPORT(scan_start)

// Replaces the words of a level by their exclusive scan within each tile; the sum of each tile goes
// to the next level.
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_up(const Job* jobs, const PeakCounts* counts, u32 target, u32 level, u32 begin, u32 next, u32* sums,
            u32 sums_of_job, const __grid_constant__ Batch batch) {
    __shared__ u32 warp_sums[LANES];
    const Part part(batch);
    const u32 words = words_in(level, count_of(part.job(jobs, batch), counts[part.slot], target));
    u32* all = sums_of(sums, part, sums_of_job);
    for (u32 tile = part.block; tile < tiles_of(words); tile += batch.blocks_of_job) {
        const u32 i = tile * THREADS + threadIdx.x;
        u32 total;
        const u32 before = block_exclusive_sum<THREADS>(i < words ? all[begin + i] : 0, warp_sums, total);
        if (i < words) all[begin + i] = before;
        if (threadIdx.x == 0) all[next + tile] = total;
        __syncthreads();
    }
}
KERNEL_EXPORT(scan_up)

// Scans the last level, which is one tile: its sum is that of all marks.
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_top(const Job* jobs, PeakCounts* counts, u32 target, u32 level, u32 begin, u32* sums, u32 sums_of_job,
             const __grid_constant__ Batch batch) {
    __shared__ u32 warp_sums[LANES];
    const Part part(batch);
    const u32 words = words_in(level, count_of(part.job(jobs, batch), counts[part.slot], target));
    u32* all = sums_of(sums, part, sums_of_job) + begin;
    u32 total;
    const u32 before = block_exclusive_sum<THREADS>(threadIdx.x < words ? all[threadIdx.x] : 0, warp_sums, total);
    if (threadIdx.x < words) all[threadIdx.x] = before;
    if (threadIdx.x == 0) found(counts[part.slot], target) = total;
}
KERNEL_EXPORT(scan_top)

// Adds the words of the next level, which are scanned already.
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_down(const Job* jobs, const PeakCounts* counts, u32 target, u32 level, u32 begin, u32 next, u32* sums,
              u32 sums_of_job, const __grid_constant__ Batch batch) {
    const Part part(batch);
    const u32 words = words_in(level, count_of(part.job(jobs, batch), counts[part.slot], target));
    u32* all = sums_of(sums, part, sums_of_job);
    for (u32 tile = part.block; tile < tiles_of(words); tile += batch.blocks_of_job) {
        const u32 i = tile * THREADS + threadIdx.x;
        if (i < words) all[begin + i] += all[next + tile];
    }
}
KERNEL_EXPORT(scan_down)

// Stores positions with a mark at their offsets.
extern "C" __global__ void __launch_bounds__(THREADS)
    compact(const Job* jobs, const PeakCounts* counts, const u32* positions, const u8* marks, u32 target, u32* sums,
            u32 sums_of_job, u32* compacted, const __grid_constant__ Batch batch) {
    __shared__ u32 warp_sums[THREADS / LANES];
    const Part part(batch);
    const Job job = part.job(jobs, batch);
    const u32 count = count_of(job, counts[part.slot], target);
    const Marked marked = {job.list(positions), job.list(marks), count};
    for (u32 tile = part.block; tile < tiles_of(count); tile += batch.blocks_of_job) {
        const u32 i = tile * THREADS + threadIdx.x;
        const bool is_marked = marked.is_marked(i);
        const Rank rank(is_marked, warp_sums);
        const u32 first = sums_of(sums, part, sums_of_job)[tile];
        if (is_marked) job.list(compacted)[first + rank.before] = marked.positions[i];
        __syncthreads();
    }
}
KERNEL_EXPORT(compact)
