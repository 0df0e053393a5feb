// Searches in what is in order.
#pragma once
#include "portable.h"

// The first number of a range that is not `before`, if all before it are; `high` if all
// are.
template <class Before> __device__ __forceinline__ u32 first_not(u32 low, u32 high, Before before) {
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (before(middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The same from 0 on, for a warp: its lanes look at as many places at a time.
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
