// Pairs that may cross, until a warp has one for each of its lanes.
#pragma once
#include "hits.h"

namespace {

// Pairs that a lane tests before it adds any, so that their loads are in flight together.
constexpr u32 AT_ONCE = 2;

// Queue of a warp.
class Queue {
    // Capacity for a remainder and all pairs added before any are removed.
    static constexpr u32 CAPACITY = (1 + AT_ONCE) * LANES;

    Pair pairs[CAPACITY];

  public:
    // Adds a pair for each lane that has one that may cross, after `queued` others.
    __device__ __forceinline__ void add(bool may_cross, const Pair& pair, u32& queued) {
        const lanemask_t votes = __ballot_sync(FULL_MASK, may_cross);
        if (may_cross) pairs[queued + popc(votes & lanemask_lt(threadIdx.x % LANES))] = pair;
        queued += popc(votes);
        __syncwarp();
    }

    // Takes one for each lane, the last ones first, and finds their hits.
    template <class Rules> __device__ __forceinline__ void take(const Module& module, u32& queued) {
        const u32 lane = threadIdx.x % LANES, left = queued - min(queued, (u32)LANES);
        const bool is_one = left + lane < queued;
        const Pair pair = is_one ? pairs[left + lane] : Pair{};
        __syncwarp();
        queued = left;
        find_hits_of<Rules>(module, is_one, pair);
    }
};

}  // namespace
