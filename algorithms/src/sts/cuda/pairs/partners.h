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

// Those of a front, whatever their errors are: no larger than `latest`.
template <class Rules>
__device__ __forceinline__ Partners partners_of(const Cluster& front, const Entry* backs, u32 count,
                                                const TimeCut& cut, float latest) {
    const u32 time = front.time;
    const float most = cut.between(front.time_error, latest, latest);
    const auto is_early = [&](u32 back) { return Rules::delay(time, backs[back].time) > most; };
    const auto is_not_late = [&](u32 back) { return -Rules::delay(time, backs[back].time) <= most; };
    const u32 first = first_not(0, count, is_early);
    return {first, first_not_nearby(first, count, is_not_late) - first};
}

}  // namespace
