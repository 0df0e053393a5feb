// Binary searches in sorted data.
#pragma once
#include "portable.h"

// Lower bound: the first index of the range at which `before` is false; `high` if there is none.
// `before` must be true for all smaller indices and false for all larger ones.
template <class Before> __device__ __forceinline__ u32 lower_bound(u32 low, u32 high, Before before) {
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

// Lower bound from 0 on, by a warp: its lanes evaluate LANES indices at a time.
template <class Before> __device__ __forceinline__ u32 warp_lower_bound(u32 count, Before before) {
    const u32 lane = threadIdx.x % LANES;
    u32 low = 0, high = count;
    while (low < high) {
        const u32 step = (high - low + LANES - 1) / LANES, index = low + lane * step;
        const u32 passed = popc(__ballot_sync(FULL_MASK, index < high && before(index)));
        if (passed == 0) return low;
        high = min(high, low + passed * step);
        low += (passed - 1) * step + 1;
    }
    return low;
}
