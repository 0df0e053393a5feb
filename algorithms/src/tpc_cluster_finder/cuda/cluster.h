// A cluster: its sums, means and widths. Files that
// include this are compiled so that nothing is fused that is not written so.
// nvcc: -fmad=false
#pragma once
#include "finding.h"

namespace {

// Sums over the charges of a cluster, by steps from its peak, in sixteenths: all exact.
struct Sums {
    i32 charge = 0, pad = 0, pad_squared = 0, time = 0, time_squared = 0;
    // Number of divided charges: in the direction of pads, and of time in the upper half.
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

// An IEEE 754 quotient, from the reciprocal of the divisor, correctly rounded: the remainder of the
// dividend is exact, and corrects a quotient that is wrong by less than its last bit (Markstein's
// theorem); the first correction ensures this. All operands are integers of fewer than 24 bits, so
// that nothing overflows or underflows, which a general division has to check. The four quotients
// of a cluster have the same divisor.
PORTABLE_INLINE float quotient(float dividend, float divisor, float reciprocal) {
    float quotient = dividend * reciprocal;
    quotient = __fmaf_rn(__fmaf_rn(-divisor, quotient, dividend), reciprocal, quotient);
    return __fmaf_rn(__fmaf_rn(-divisor, quotient, dividend), reciprocal, quotient);
}

// Sixteenths cancel: quotients of sums are those in whole ADC units.
PORTABLE_INLINE Moments moments(float charge, float reciprocal, i32 first, i32 second) {
    const float mean = quotient((float)first, charge, reciprocal);
    const float squared = mean * mean;
    return {mean, sqrtf(quotient((float)second, charge, reciprocal) - squared)};
}

// Packs the cluster around a peak in a row of `pads` pads; returns true if it is large enough.
PORTABLE_INLINE bool pack(const Sums& sums, Peak peak, i32 pads, const Settings& settings, PackedCluster& packed) {
    const float charge = (float)sums.charge, reciprocal = __frcp_rn(charge);
    const Moments by_pad = moments(charge, reciprocal, sums.pad, sums.pad_squared);
    const Moments by_time = moments(charge, reciprocal, sums.time, sums.time_squared);
    const Extent extent = {sums.charge, by_pad, by_time, sums.divided & 0xffff, sums.divided >> 16};
    return pack(extent, peak, pads, settings, packed);
}

}  // namespace
