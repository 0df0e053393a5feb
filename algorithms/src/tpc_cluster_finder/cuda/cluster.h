// A cluster: its sums, means and widths, and how it is packed (see cluster.rs). Files that
// include this are compiled so that nothing is fused that is not written so.
#pragma once
#include "cases.h"

namespace cluster_finder {

// 12 bytes: time in 64ths and flags; pad in 64ths, widths in time and in pads in 32nds; the
// largest charge and the whole one.
struct PackedCluster {
    u32 time_and_flags, pad_and_widths, charges;
};

}  // namespace cluster_finder

namespace {

// Flags of a cluster.
constexpr u32 SPLIT_PAD = 1;
constexpr u32 SPLIT_TIME = 2;
constexpr u32 EDGE = 4;
constexpr u32 SINGLE = 8;
// Flags stand above the bits of the time.
constexpr u32 TIME_BITS = 24;
// Pads at either end of a row that are its edge.
constexpr i32 EDGE_PADS = 2;

// The sums over the charges of a cluster, by steps from its peak, in sixteenths: all exact.
struct Sums {
    i32 charge = 0, pad = 0, pad_squared = 0, time = 0, time_squared = 0;
    // Charges that are divided: in the direction of pads, and of time in the upper half.
    u32 divided = 0;

    __device__ __forceinline__ void add(i32 a, i32 b, i32 share, bool is_divided) {
        charge += share;
        pad += a * share;
        pad_squared += a * a * share;
        time += b * share;
        time_squared += b * b * share;
        if (is_divided) divided += (a != 0 ? 1 : 0) | (b != 0 ? 1 << 16 : 0);
    }
};

struct Peak {
    i32 pad, time, charge;
};

struct Moments {
    float mean, width;
};

// A quotient as IEEE 754 has it, by the reciprocal of the divisor, correctly rounded: what is
// left of the dividend is exact, and corrects a quotient that is wrong by less than its last
// bit (Markstein's theorem); the first correction makes it so. All are whole numbers of fewer
// than 24 bits, so that nothing overflows or vanishes, which a division has to look for. The four
// of a cluster have the same divisor.
PORTABLE_INLINE float quotient(float dividend, float divisor, float reciprocal) {
    float quotient = dividend * reciprocal;
    quotient = __fmaf_rn(__fmaf_rn(-divisor, quotient, dividend), reciprocal, quotient);
    return __fmaf_rn(__fmaf_rn(-divisor, quotient, dividend), reciprocal, quotient);
}

// Sixteenths cancel out: quotients of sums are those of whole ADC units.
PORTABLE_INLINE Moments moments(float charge, float reciprocal, i32 first, i32 second) {
    const float mean = quotient((float)first, charge, reciprocal);
    const float squared = mean * mean;
    return {mean, sqrtf(quotient((float)second, charge, reciprocal) - squared)};
}

// At the edge of a row charges outside of it are missing: a mean on the inner side of the peak
// is that of the peak.
PORTABLE_INLINE float moved_outwards(float mean, i32 pad) {
    return pad < EDGE_PADS ? fminf(mean, (float)pad) : fmaxf(mean, (float)pad);
}

// Of what is not negative; halves go up, as if the sum with a half were exact. The difference
// is, for it has no bits that `value` does not have.
PORTABLE_INLINE u32 rounded(float value) {
    const u32 cut = (u32)value;
    return cut + (value - (float)cut >= 0.5f ? 1 : 0);
}

// The cluster around a peak in a row of so many pads; says whether it is large enough.
PORTABLE_INLINE bool pack(const Sums& sums, Peak peak, i32 pads, const Settings& settings, PackedCluster& packed) {
    const i32 qtot = (sums.charge + 8) / 16;
    const float charge = (float)sums.charge, reciprocal = __frcp_rn(charge);
    const Moments by_pad = moments(charge, reciprocal, sums.pad, sums.pad_squared);
    const Moments by_time = moments(charge, reciprocal, sums.time, sums.time_squared);
    const bool is_edge = peak.pad < EDGE_PADS || peak.pad >= pads - EDGE_PADS;
    const float mean_pad = by_pad.mean + (float)peak.pad;
    const float pad = is_edge ? moved_outwards(mean_pad, peak.pad) : mean_pad;
    const float mean_time = by_time.mean + (float)peak.time;
    const bool no_pads = by_pad.width == 0.0f, no_times = by_time.width == 0.0f;
    const u32 flags = ((sums.divided & 0xffff) >= settings.min_split ? SPLIT_PAD : 0) |
                      (sums.divided >> 16 >= settings.min_split ? SPLIT_TIME : 0) | (is_edge ? EDGE : 0) |
                      (no_pads || no_times ? SINGLE : 0);
    const u32 time = rounded((mean_time - settings.time_shift) * 64.0f) & ((1u << TIME_BITS) - 1);
    const u32 sigma_time = min(rounded(by_time.width * 32.0f), 255u);
    const u32 sigma_pad = min(rounded(by_pad.width * 32.0f), 255u);
    packed.time_and_flags = flags << TIME_BITS | time;
    packed.pad_and_widths = sigma_pad << 24 | sigma_time << 16 | rounded(pad * 64.0f);
    packed.charges = (u32)qtot << 16 | (u32)peak.charge / 16;
    return qtot > settings.qtot_cutoff && mean_time >= settings.time_shift &&
           !(no_times && peak.charge <= settings.qmax_single_time) &&
           !(no_pads && peak.charge <= settings.qmax_single_pad);
}

}  // namespace
