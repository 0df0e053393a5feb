// A cluster: its sums, means and widths, calculated as in cluster.rs.
#pragma once
#include "job.h"

// Each operation is rounded: a fused multiply-subtract would give other widths. The sums are
// integers below 2^24, and sixteenths cancel.
PORTABLE_INLINE Moments moments(i32 charge, i32 first, i32 second) {
    const float all = (float)charge;
    const float mean = __fdiv_rn((float)first, all);
    const float variance = __fsub_rn(__fdiv_rn((float)second, all), __fmul_rn(mean, mean));
    return {mean, __fsqrt_rn(variance)};
}

// Sums over the charges of a cluster, by steps from its peak.
struct Sums {
    i32 charge = 0, pad = 0, pad_squared = 0, time = 0, time_squared = 0;
    u32 shared_pad = 0, shared_time = 0;

    __device__ __forceinline__ void add(Step step, u32 entry) {
        const i32 own = (i32)(entry & CHARGE);
        const u32 is_shared = (entry & DIVIDED) != 0;
        charge += own;
        pad += own * step.pads;
        pad_squared += own * step.pads * step.pads;
        time += own * step.times;
        time_squared += own * step.times * step.times;
        if (step.pads != 0) shared_pad += is_shared;
        if (step.times != 0) shared_time += is_shared;
    }

    // Packs the cluster around a peak into `cluster`; returns true if it is large enough.
    __device__ __forceinline__ bool finish(Peak peak, u32 pads_in_row, const Settings& settings,
                                           PackedCluster& cluster) const {
        const Moments by_pad = moments(charge, pad, pad_squared), by_time = moments(charge, time, time_squared);
        const Extent extent = {charge, by_pad, by_time, shared_pad, shared_time};
        return pack(extent, peak, (i32)pads_in_row, settings, cluster);
    }
};
