// Compacts lists in one pass: where the marked positions of a tile go, its block finds out by
// itself, either by a counter, in any order, or by what the blocks before have told, in order.
//
// Static shared memory: sums of warps and two words, at most 72 bytes.
#include "finder/marked.h"
#include "look_back.h"

namespace {

constexpr u32 THREADS = COMPACTED_TILE;

}  // namespace

// By a counter, once a block.
extern "C" __global__ void __launch_bounds__(THREADS)
    compact_atomic(const Job* jobs, PeakCounts* counts, const u32* positions, const u8* marks, u32 target, u32* compacted,
                   const __grid_constant__ Batch batch) {
    __shared__ u32 warp_sums[THREADS / LANES];
    __shared__ u32 first;
    const Part part(batch);
    const Job job = part.job(jobs, batch);
    const u32 count = count_of(job, counts[part.slot], target);
    const Marked marked = {job.list(positions), job.list(marks), count};
    for (u32 tile = part.block; tile < tiles_of(count); tile += batch.blocks_of_job) {
        const u32 i = tile * THREADS + threadIdx.x;
        const bool is_marked = marked.is_marked(i);
        const Rank rank(is_marked, warp_sums);
        if (threadIdx.x == 0) first = atomicAdd(&found(counts[part.slot], target), rank.all);
        __syncthreads();
        if (is_marked) job.list(compacted)[first + rank.before] = marked.positions[i];
        __syncthreads();
    }
}
KERNEL_EXPORT(compact_atomic)

// By decoupled look-back. Blocks take tiles by tickets: whoever is waited for has begun.
// `states` and `tickets` are 0 before.
extern "C" __global__ void __launch_bounds__(THREADS)
    compact_look_back(const Job* jobs, PeakCounts* counts, const u32* positions, const u8* marks, u32 target, u64* states,
                      u32 states_of_job, u32* tickets, u32* compacted, const __grid_constant__ Batch batch) {
    __shared__ u32 warp_sums[THREADS / LANES];
    __shared__ u32 ticket, first;
    const Part part(batch);
    const Job job = part.job(jobs, batch);
    const u32 count = count_of(job, counts[part.slot], target), tiles = tiles_of(count);
    const Marked marked = {job.list(positions), job.list(marks), count};
    u64* own_states = states + (u64)part.slot * states_of_job;
    while (true) {
        if (threadIdx.x == 0) ticket = atomicAdd(&tickets[part.slot], 1u);
        __syncthreads();
        const u32 tile = ticket;
        if (tile >= tiles) return;
        const u32 i = tile * THREADS + threadIdx.x;
        const bool is_marked = marked.is_marked(i);
        const Rank rank(is_marked, warp_sums);
        if (threadIdx.x < LANES) {
            const u32 before = sum_before(own_states, tile, rank.all);
            if (threadIdx.x == 0) first = before;
            if (threadIdx.x == 0 && tile + 1 == tiles) found(counts[part.slot], target) = before + rank.all;
        }
        __syncthreads();
        if (is_marked) job.list(compacted)[first + rank.before] = marked.positions[i];
        __syncthreads();
    }
}
KERNEL_EXPORT(compact_look_back)
