// A thread for each digi, then for each full window. These are indexed by ballots, and by a scan
// over blocks. A full window is surely a trigger if it would be free even after a trigger at the
// previous full window, and its thread follows those after it up to the next sure one. In a stream
// that is dense throughout that is a single thread.
//
// Static shared memory: sums of warps, and the sum before a block.
#include "scan.h"
#include "building/events.h"

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;
// Threads of a block that copies an event.
constexpr u32 COPYING_THREADS = 256;

// The rank of a thread among all `chosen` ones, and their number up to its block.
struct Numbered {
    u32 number, up_to_block;
};

// All threads of the block take part; `states` has a word for each block, 0 before.
PORTABLE_INLINE Numbered number_chosen(bool chosen, u64* states) {
    __shared__ u32 of_warps[LANES];
    __shared__ u32 before_block;
    const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const lanemask_t all = __ballot_sync(FULL_MASK, chosen);
    if (lane == 0) of_warps[warp] = (u32)popc(all);
    __syncthreads();
    const u32 of_warp = lane < WARPS ? of_warps[lane] : 0;
    const u32 total = __reduce_add_sync(FULL_MASK, of_warp);
    const u32 before_warp = __reduce_add_sync(FULL_MASK, lane < warp ? of_warp : 0u);
    if (warp == 0) {
        const u32 before = sum_before(states, blockIdx.x, total);
        if (lane == 0) before_block = before;
    }
    __syncthreads();
    return {before_block + before_warp + (u32)popc(all & lanemask_lt(lane)), before_block + total};
}

}  // namespace

// Lists the indices of digis with a full window, in order. `states` has a word for each block, 0
// before.
extern "C" __global__ void __launch_bounds__(THREADS)
    events_full(const __grid_constant__ Stream stream, u64* states, u32* full, Totals* totals) {
    const u32 index = blockIdx.x * THREADS + threadIdx.x;
    const bool is_full = stream.is_full(index);
    const Numbered numbered = number_chosen(is_full, states);
    if (is_full) full[numbered.number] = index;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) totals->full = numbered.up_to_block;
}
KERNEL_EXPORT(events_full)

// Marks all triggers among full windows. `is_trigger` is 0 before.
extern "C" __global__ void __launch_bounds__(THREADS)
    events_follow(const __grid_constant__ Stream stream, const u32* full, const Totals* totals, u8* is_trigger) {
    const u32 all = totals->full;
    const auto is_sure = [&](u32 number) { return number == 0 || stream.is_free(full[number - 1], full[number]); };
    u32 number = blockIdx.x * THREADS + threadIdx.x;
    if (number >= all || !is_sure(number)) return;
    do {
        is_trigger[number] = 1;
        const u32 earliest = stream.earliest_after(full[number]);
        // No more full windows can lie between than digis.
        const u32 end = min(all, number + 1 + (earliest - full[number]));
        number = lower_bound(number + 1, end, [&](u32 other) { return full[other] < earliest; });
    } while (number < all && !is_sure(number));
}
KERNEL_EXPORT(events_follow)

// The event of each trigger, and where its copies go. `states` has two words for each block, 0 before.
extern "C" __global__ void __launch_bounds__(THREADS)
    events_cut(const __grid_constant__ Stream stream, const u32* full, const u8* is_trigger, u64* states,
               const __grid_constant__ EventOutput output) {
    __shared__ u32 warp_sums[LANES];
    __shared__ u32 copies_before;
    const u32 number = blockIdx.x * THREADS + threadIdx.x, all = output.totals->full;
    // The last block that has any is the last one that others wait for.
    const u32 blocks = (all + THREADS - 1) / THREADS;
    if (blockIdx.x >= blocks) return;
    const bool chosen = number < all && is_trigger[number];
    const Numbered numbered = number_chosen(chosen, states);
    const Event event = chosen ? stream.event(full[number]) : Event{0, 0, 0, 0};
    u32 copies;
    const u32 first = block_exclusive_sum<THREADS>(event.end - event.begin, warp_sums, copies);
    if (threadIdx.x < LANES) {
        const u32 before = sum_before(states + gridDim.x, blockIdx.x, copies);
        if (threadIdx.x == 0) copies_before = before;
    }
    __syncthreads();
    if (chosen && numbered.number < output.capacities.events)
        output.events[numbered.number] = {event.trigger, event.begin, event.end, copies_before + first};
    if (blockIdx.x == blocks - 1 && threadIdx.x == 0) {
        output.totals->events = numbered.up_to_block;
        output.totals->copies = copies_before + copies;
    }
}
KERNEL_EXPORT(events_cut)

// Copies the digis of an event. A block for each.
extern "C" __global__ void __launch_bounds__(COPYING_THREADS)
    events_copy(const u64* digis, const __grid_constant__ EventOutput output) {
    copy_event<COPYING_THREADS>(digis, output.events[blockIdx.x], output);
}
KERNEL_EXPORT(events_copy)
