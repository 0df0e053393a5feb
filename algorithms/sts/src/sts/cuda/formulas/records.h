// Outputs of stages in device memory, with the layouts of the host, and ranges of segments.
#pragma once
#include "portable.h"

// Outputs of stages in device memory; the layouts are those of the host.

// Neighbouring digis of a side.
struct alignas(8) Cluster {
    float charge;
    i32 size;
    float position, position_error;
    u32 time;
    float time_error;
};

// Cluster data that hits need, except the line: as wide as a vector load.
struct alignas(16) Measured {
    u32 time;
    float time_error, position_error;
    float reach;  // of a front: largest time difference of its partners, whatever their errors
};

__device__ __forceinline__ Measured measured(const Cluster& cluster, float reach = 0) {
    return {cluster.time, cluster.time_error, cluster.position_error, reach};
}

// Sort key of a cluster.
struct alignas(8) Entry {
    u32 time, index;
};

// Crossing of a particle through a module.
struct alignas(16) Hit {
    float x, y, z;
    u32 time;
    float dx, dy, dz, dxy;
    float time_error, du, dv;
    u32 address;
};

// Result of a side: the number of clusters, and the bits of the largest time error. Errors are
// positive, so their bits have the same order.
struct alignas(8) Found {
    u32 clusters, latest_error;

    // Errors are seldom larger than the current maximum: only these take an atomic.
    __device__ __forceinline__ void raise_error(float error) {
        const u32 bits = __float_as_uint(error);
        if (load_relaxed(&latest_error) < bits) atomicMax(&latest_error, bits);
    }
};

static_assert(sizeof(Cluster) == 24 && sizeof(Entry) == 8 && sizeof(Hit) == 48, "as on the host");

// Ranges of segments: `segment_offsets` has the offset of each, and the end of the last one.

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
