// A cluster: its sums, means and widths, and how it is packed; the same as cluster.rs.
#pragma once
#include "job.h"

// As it is stored, in words.
struct Cluster {
    u32 time_and_flags;
    u32 pad_and_widths;  // the pad in the lower half, above it the width in time, then in pads
    u32 charges;         // of the peak in the lower half, of all in the upper one
};

constexpr u32 SPLIT_PAD = 1;
constexpr u32 SPLIT_TIME = 2;
constexpr u32 EDGE = 4;
constexpr u32 SINGLE = 8;
constexpr u32 FLAGS_SHIFT = 24;
// Pads at either end of a row that are its edge.
constexpr u32 EDGE_PADS = 2;
constexpr float TIME_SCALE = 64;
constexpr float PAD_SCALE = 64;
constexpr float SIGMA_SCALE = 32;

// Halves go up. A number less its whole part is exact, so this is what adding a half in 64 bits
// gives.
PORTABLE_INLINE u32 rounded(float value) {
    const u64 whole = (u64)value;
    return (u32)whole + (value - (float)whole >= 0.5f);
}

struct Moments {
    float mean, width;
};

// Each step is rounded: a product and a difference in one would give other widths. The sums are
// whole numbers below 2^24, and sixteenths cancel.
PORTABLE_INLINE Moments moments(i32 charge, i32 first, i32 second) {
    const float all = (float)charge;
    const float mean = __fdiv_rn((float)first, all);
    const float variance = __fsub_rn(__fdiv_rn((float)second, all), __fmul_rn(mean, mean));
    return {mean, __fsqrt_rn(variance)};
}

// Where the peak of a cluster is.
struct PeakPlace {
    u32 pad, time, pads_in_row;

    __device__ __forceinline__ bool is_edge() const {
        return pad < EDGE_PADS || pad + EDGE_PADS >= pads_in_row;
    }
    // At the edge of a row charges outside of it are missing: a mean on the inner side of the
    // peak is that of the peak.
    __device__ __forceinline__ float moved_outwards(float mean) const {
        if (!is_edge()) return mean;
        return pad < EDGE_PADS ? fminf(mean, (float)pad) : fmaxf(mean, (float)pad);
    }
};

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

    // Whether it is a cluster, and no less; `cluster` is what it is.
    __device__ __forceinline__ bool finish(PeakPlace at, u32 largest, const Thresholds& thresholds, Cluster& cluster) const {
        const u32 whole = (u32)(charge + 8) / 16;
        const Moments in_pad = moments(charge, pad, pad_squared);
        const Moments in_time = moments(charge, time, time_squared);
        const float mean_time = in_time.mean + (float)(i32)at.time;
        const float mean_pad = at.moved_outwards(in_pad.mean + (float)at.pad);
        const bool no_width = in_pad.width == 0, no_length = in_time.width == 0;
        if (whole <= thresholds.whole_charge || mean_time < thresholds.time_shift) return false;
        if (no_length && largest <= thresholds.single_time) return false;
        if (no_width && largest <= thresholds.single_pad) return false;
        const u32 flags = (shared_pad >= thresholds.min_split ? SPLIT_PAD : 0) |
                          (shared_time >= thresholds.min_split ? SPLIT_TIME : 0) | (at.is_edge() ? EDGE : 0) |
                          (no_width || no_length ? SINGLE : 0);
        const u32 when = rounded((mean_time - thresholds.time_shift) * TIME_SCALE);
        const u32 width_in_time = min(rounded(in_time.width * SIGMA_SCALE), 255u);
        const u32 width_in_pads = min(rounded(in_pad.width * SIGMA_SCALE), 255u);
        cluster.time_and_flags = (when & ((1u << FLAGS_SHIFT) - 1)) | flags << FLAGS_SHIFT;
        cluster.pad_and_widths =
            (rounded(mean_pad * PAD_SCALE) & 0xffff) | width_in_time << 16 | width_in_pads << 24;
        cluster.charges = largest / 16 | whole << 16;
        return true;
    }
};
