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
