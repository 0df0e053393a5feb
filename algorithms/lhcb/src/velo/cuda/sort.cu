// nvcc: -fmad=false
// Order of the hits of each pair of modules by angle and identifier: a warp for each.
#include "pair_banks.h"
#include "pair_list.h"

namespace velo {

constexpr u32 FINISH_THREADS = 128;

// Of `from` to `to`, of the pairs of modules of some events.
struct SortHits {
    HitArrays from, to;
    const PairHits* pairs;
    u32 first_event;
    // Hits that fit into shared memory.
    u32 list_capacity;
    // Pairs of modules with more hits than this are left out.
    u32 max_hits;
    // Pairs of modules: all of the events, or, if there is a list, those of event * PAIRS + pair.
    u32 pair_count;
    const u32* selected;
};

struct SortHalfHits {
    HalfArrays from, to;
    const PairHits* pairs;
    u32 first_event;
    // Hits that fit into shared memory.
    u32 list_capacity;
    // Pairs of modules with more hits than this are left out.
    u32 max_hits;
    // Pairs of modules: all of the events, or, if there is a list, those of event * PAIRS + pair.
    u32 pair_count;
    const u32* selected;
};

// Events whose pairs of modules get their first slots.
struct FinishEvents {
    PairHits* pairs;
    u32 first_event, events;
};

template <class Arguments> __device__ __forceinline__ void sort_pairs(const Arguments& arguments) {
    SMEM_DYN(unsigned char, memory);
    const u32 warp = threadIdx.x / LANES, number = blockIdx.x * PAIR_WARPS + warp;
    // Whole warps.
    if (number >= arguments.pair_count) return;
    const u32 of_all = arguments.selected == nullptr ? arguments.first_event * PAIRS + number : arguments.selected[number];
    const PairHits pair = arguments.pairs[of_all];
    if (pair.count > arguments.max_hits) return;
    unsigned char* list_memory = memory + warp * PairList::bytes(arguments.list_capacity);
    sort_hits(arguments.from, pair.count, arguments.to, pair.first, list_memory, arguments.list_capacity);
}

// First slots of the pairs of modules of an event: a warp for each.
__device__ __forceinline__ void finish_events(const FinishEvents& arguments) {
    const u32 lane = threadIdx.x % LANES;
    const u32 of_batch = (blockIdx.x * FINISH_THREADS + threadIdx.x) / LANES;
    if (of_batch >= arguments.events) return;
    PairHits* pairs = arguments.pairs + (arguments.first_event + of_batch) * PAIRS;
    const u32 estimate = lane < PAIRS ? pairs[lane].estimate : 0;
    const u32 start = warp_inclusive_sum(estimate) - estimate;
    if (lane < PAIRS) pairs[lane].start = start;
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_sort_hits, SortHits, (PAIR_THREADS), sort_pairs)
KERNEL_INSTANCE(velo_sort_half_hits, SortHalfHits, (PAIR_THREADS), sort_pairs)
KERNEL_INSTANCE(velo_finish_events, FinishEvents, (FINISH_THREADS), finish_events)
