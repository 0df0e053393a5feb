// Ranges of segments: `segment_offsets` has the offset of each, and the end of the last one.
#pragma once
#include "portable.h"

constexpr u32 CHANNELS_OF_SIDE = 1024;

// The segment that a position lies in, found by binary search.
__device__ __forceinline__ u32 segment_of(const u32* segment_offsets, u32 segments, u32 position) {
    u32 low = 0, high = segments;
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        if (segment_offsets[middle] <= position) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Segment of a position, found by a warp, which compares one segment per lane at a time.
__device__ __forceinline__ u32 warp_segment_of(const u32* segment_offsets, u32 segments, u32 position) {
    u32 low = 0, high = segments;
    while (high - low > 1) {
        const u32 step = (high - low + LANES - 1) / LANES, index = low + (threadIdx.x % LANES + 1) * step;
        const u32 passed = popc(__ballot_sync(FULL_MASK, index < high && segment_offsets[index] <= position));
        low += passed * step;
        high = min(high, low + step);
    }
    return low;
}

// Segment of a position, found by walking from segment to segment.
__device__ __forceinline__ u32 segment_by_walk(const u32* segment_offsets, u32 position) {
    const u32* next = segment_offsets + 1;
    while (*next <= position) next++;
    return (u32)(next - segment_offsets) - 1;
}

// Search of the segment of a thread's position. The online reconstruction walks, past up to 1792
// sides or 896 modules.
struct Walk {
    __device__ __forceinline__ static u32 segment(const u32* segment_offsets, u32, u32 position) {
        return segment_by_walk(segment_offsets, position);
    }
};

struct Search {
    __device__ __forceinline__ static u32 segment(const u32* segment_offsets, u32 segments, u32 position) {
        return segment_of(segment_offsets, segments, position);
    }
};
