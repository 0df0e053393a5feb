// nvcc: -fmad=false
// Order of the hits of each pair of modules by angle and identifier: a warp for each. The position of a
// hit is the number of smaller keys.
#include "pair_list.h"

namespace velo {

constexpr u32 SORT_THREADS = 128;
// Hits whose keys are kept in shared memory.
constexpr u32 KEYS = 256;
constexpr u32 FINISH_THREADS = 128;

// Of `from` to `to`, of the pairs of modules of some events.
struct SortHits {
    HitArrays from, to;
    PairHits* pairs;
    u32 first_event, events;
};

// Events whose pairs of modules get their first slots.
struct FinishEvents {
    PairHits* pairs;
    u32 first_event, events;
};

struct SortHalfHits {
    HalfArrays from, to;
    PairHits* pairs;
    u32 first_event, events;
};

template <class Arguments> __device__ __forceinline__ void sort_hits(const Arguments& arguments) {
    constexpr u32 WARPS = SORT_THREADS / LANES;
    __shared__ u64 all_keys[WARPS][KEYS];
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const u32 of_batch = blockIdx.x * WARPS + warp;
    if (of_batch >= arguments.events * PAIRS) return;
    const u32 event = arguments.first_event + of_batch / PAIRS;
    const PairHits pair = arguments.pairs[event * PAIRS + of_batch % PAIRS];
    const u32 first = pair.first, count = pair.count;
    u64* keys = all_keys[warp];
    const bool are_shared = count <= KEYS;
    const auto key_at = [&](u32 hit) { return key_of(arguments.from.phi[first + hit], id_of(arguments.from, first + hit), hit); };
    if (are_shared) {
        for (u32 hit = lane; hit < count; hit += LANES) keys[hit] = key_at(hit);
    }
    __syncwarp();
    for (u32 hit = lane; hit < count; hit += LANES) {
        const u64 key = are_shared ? keys[hit] : key_at(hit);
        u32 smaller = 0;
        if (are_shared) {
#pragma unroll 4
            for (u32 other = 0; other < count; other++) smaller += keys[other] < key ? 1 : 0;
        } else {
            for (u32 other = 0; other < count; other++) smaller += key_at(other) < key ? 1 : 0;
        }
        copy_hit(arguments.from, first + hit, arguments.to, first + smaller);
    }
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

KERNEL_INSTANCE(velo_sort_hits, SortHits, (SORT_THREADS), sort_hits)
KERNEL_INSTANCE(velo_sort_half_hits, SortHalfHits, (SORT_THREADS), sort_hits)
KERNEL_INSTANCE(velo_finish_events, FinishEvents, (FINISH_THREADS), finish_events)
