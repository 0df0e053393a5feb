// Where segments lie: `begins` says where each begins, and where the last one ends.
#pragma once
#include "portable.h"

constexpr u32 CHANNELS_OF_SIDE = 1024;

// The segment that a position lies in.
__device__ __forceinline__ u32 segment_of(const u32* begins, u32 segments, u32 position) {
    u32 low = 0, high = segments;
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (begins[middle] <= position) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
