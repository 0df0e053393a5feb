// Backs that are near enough in time to a front.
#pragma once
#include "block_scan.h"
#include "module.h"
#include "search.h"

namespace {

// The first number from `start` on that is not `before`, by steps that grow: it is near.
template <class Before> __device__ __forceinline__ u32 nearby_lower_bound(u32 start, u32 end, Before before) {
    u32 low = start, step = 1;
    while (low + step < end && before(low + step)) {
        low += step;
        step *= 2;
    }
    return lower_bound(low, min(low + step, end), before);
}

// Partners of each lane's front, for the largest error of the back: `latest`. Fronts are in order
// of time, so their ranges of partners start near each other. All lanes of a warp call this.
template <class Rules>
__device__ __forceinline__ Partners partners_of(bool is_one, const Cluster& front, const Entry* backs, u32 count,
                                                const TimeCut& cut, float latest) {
    const u32 earliest = __shfl_sync(FULL_MASK, front.time, 0);
    const float max_delay = cut.between(front.time_error, latest, latest), max_of_warp = warp_max(max_delay);
    const u32 first_near =
        warp_lower_bound(count, [&](u32 back) { return Rules::delay(earliest, backs[back].time) > max_of_warp; });
    if (!is_one) return {};
    const auto is_early = [&](u32 back) { return Rules::delay(front.time, backs[back].time) > max_delay; };
    const auto is_not_late = [&](u32 back) { return -Rules::delay(front.time, backs[back].time) <= max_delay; };
    const u32 first = nearby_lower_bound(first_near, count, is_early);
    return {first, nearby_lower_bound(first, count, is_not_late) - first};
}

}  // namespace
