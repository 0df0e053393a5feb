// nvcc: -fmad=false
// Order of the hits of each pair of modules by angle and identifier: a warp for each.
#include "pair_banks.h"
#include "pair_list.h"

namespace velo {

constexpr u32 FINISH_THREADS = 128;

// Of `from` to `to`, of the pairs of modules of some events.
struct SortHits {
    AnyHits from, to;
    const PairHits* pairs;
    u32 first_event;
    SelectedPairs launched;
};

// Events whose pairs of modules get their first slots.
struct FinishEvents {
    PairHits* pairs;
    u32 first_event, events;
};

template <class Arrays> __device__ __forceinline__ void sort_pairs(const SortHits& arguments) {
    SMEM_DYN(unsigned char, memory);
    const u32 warp = threadIdx.x / LANES, number = blockIdx.x * PAIR_WARPS + warp;
    // Whole warps.
    const SelectedPairs& launched = arguments.launched;
    if (number >= launched.count) return;
    const PairHits pair = arguments.pairs[number_of_pair(launched, number, arguments.first_event)];
    if (pair.count > launched.max_words) return;
    unsigned char* list_memory = memory + warp * PairList::bytes(launched.list_capacity);
    const Arrays from = typed<Arrays>(arguments.from), to = typed<Arrays>(arguments.to);
    sort_hits(from, pair.count, to, pair.first, list_memory, launched.list_capacity);
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

KERNEL_INSTANCE(velo_sort_hits, SortHits, (PAIR_THREADS), sort_pairs<HitArrays>)
KERNEL_INSTANCE(velo_sort_half_hits, SortHits, (PAIR_THREADS), sort_pairs<HalfArrays>)
KERNEL_INSTANCE(velo_finish_events, FinishEvents, (FINISH_THREADS), finish_events)
