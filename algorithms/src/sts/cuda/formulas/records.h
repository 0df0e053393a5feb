// Outputs of stages in device memory; the layouts are those of the host.
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
