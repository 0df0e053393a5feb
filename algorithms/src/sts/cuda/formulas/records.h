// What stages leave in device memory; the layouts are those of the host.
#pragma once
#include "portable.h"

// Neighbouring digis of a side.
struct alignas(8) Cluster {
    float charge;
    i32 size;
    float position, position_error;
    u32 time;
    float time_error;
};

// What a hit takes of a cluster, beside where it is: as wide as a load.
struct alignas(16) Measured {
    u32 time;
    float time_error, position_error;
    float reach;  // of a front: how far off in time its partners are at most, whatever their errors
};

__device__ __forceinline__ Measured measured(const Cluster& cluster, float reach = 0) {
    return {cluster.time, cluster.time_error, cluster.position_error, reach};
}

// What is sorted instead of clusters.
struct alignas(8) Entry {
    u32 time, index;
};

// Where a particle crossed a module.
struct alignas(16) Hit {
    float x, y, z;
    u32 time;
    float dx, dy, dz, dxy;
    float time_error, du, dv;
    u32 address;
};

// What was found on a side: how many clusters, and the bits of the largest error of
// their times. Errors are positive, so their bits ascend as they do.
struct alignas(8) Found {
    u32 clusters, latest_error;

    // Most errors are no larger than what is there: only the others take an atomic.
    __device__ __forceinline__ void raise_error(float error) {
        const u32 bits = __float_as_uint(error);
        if (load_relaxed(&latest_error) < bits) atomicMax(&latest_error, bits);
    }
};

static_assert(sizeof(Cluster) == 24 && sizeof(Entry) == 8 && sizeof(Hit) == 48, "as on the host");
