// The hits of pairs that may cross.
#pragma once
#include "module.h"

namespace {

// Clusters of both sides, by their indices in order of time.
struct Pair {
    u32 front, back;
};

// True if clusters are near enough in time, by their own errors.
template <class Rules>
__device__ __forceinline__ bool are_near(const Module& module, const Measured& front, const Measured& back) {
    const float delay = fabsf(Rules::delay(front.time, back.time));
    return delay <= module.cut.within(front.reach, front.time_error, back.time_error);
}

// The hits of a pair for each lane that has one. Nearly all have a single one, so that a warp
// writes what it finds in one go.
template <class Rules>
__device__ __forceinline__ void find_hits_of(const Module& module, bool is_one, const Pair& pair) {
    const Line front_line = is_one ? module.fronts.lines[pair.front] : Line{};
    const Line back_line = is_one ? module.backs.lines[pair.back] : Line{};
    const Measured front = is_one ? module.fronts.measured[pair.front] : Measured{};
    const Measured back = is_one ? module.backs.measured[pair.back] : Measured{};
    const u32 lane = threadIdx.x % LANES;
    Crossings crossings(module.sensor, front_line, back_line);
    Local local = {};
    bool is_hit = is_one && are_near<Rules>(module, front, back) && crossings.next(local);
    while (const lanemask_t hits = __ballot_sync(FULL_MASK, is_hit)) {
        u32 first = 0;
        if (lane == 0) first = atomicAdd(module.count, popc(hits));
        const u32 index = __shfl_sync(FULL_MASK, first, 0) + popc(hits & lanemask_lt(lane));
        if (is_hit && index < module.capacity) module.hits[index] = hit_at<Rules>(module.sensor, front, back, local);
        is_hit = is_hit && crossings.next(local);
    }
}

}  // namespace
