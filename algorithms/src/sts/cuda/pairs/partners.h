// Which backs are near enough in time to a front.
#pragma once
#include "module.h"

namespace {

// The first number from `start` on that is not `before`, by steps that grow: it is near.
template <class Before> __device__ __forceinline__ u32 first_not_nearby(u32 start, u32 end, Before before) {
    u32 low = start, step = 1;
    while (low + step < end && before(low + step)) {
        low += step;
        step *= 2;
    }
    return first_not(low, min(low + step, end), before);
}

// The first number that is not `before`, for a warp: its lanes look at as many places at a time.
template <class Before> __device__ __forceinline__ u32 first_not_of_warp(u32 count, Before before) {
    const u32 lane = threadIdx.x % LANES;
    u32 low = 0, high = count;
    while (low < high) {
        const u32 step = (high - low + LANES - 1) / LANES, place = low + lane * step;
        const u32 passed = popc(__ballot_sync(FULL_MASK, place < high && before(place)));
        if (passed == 0) return low;
        high = min(high, low + passed * step);
        low += (passed - 1) * step + 1;
    }
    return low;
}

__device__ __forceinline__ float largest_of_warp(float value) {
    for (u32 distance = LANES / 2; distance > 0; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(FULL_MASK, value, (int)distance));
    return value;
}

// Those of the front of each lane that has one, whatever their errors are: no larger than `latest`. Fronts are
// in order of time, so that their partners begin near each other. All lanes of a warp call this.
template <class Rules>
__device__ __forceinline__ Partners partners_of(bool is_one, const Cluster& front, const Entry* backs, u32 count,
                                                const TimeCut& cut, float latest) {
    const u32 earliest = __shfl_sync(FULL_MASK, front.time, 0);
    const float most = cut.between(front.time_error, latest, latest), most_of_warp = largest_of_warp(most);
    const u32 least = first_not_of_warp(
        count, [&](u32 back) { return Rules::delay(earliest, backs[back].time) > most_of_warp; });
    if (!is_one) return {};
    const auto is_early = [&](u32 back) { return Rules::delay(front.time, backs[back].time) > most; };
    const auto is_not_late = [&](u32 back) { return -Rules::delay(front.time, backs[back].time) <= most; };
    const u32 first = first_not_nearby(least, count, is_early);
    return {first, first_not_nearby(first, count, is_not_late) - first};
}

}  // namespace
