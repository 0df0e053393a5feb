// Clusters around the peaks of a tile: their sums, means and widths. Files that include this are
// compiled so that nothing is fused that is not written so.
// nvcc: -fmad=false
#pragma once
#include "peaks.h"

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

// Other peaks within four steps of one: words of three pads, nine time bins each.
struct OtherPeaks {
    static constexpr i32 REACH = 4;
    static constexpr u32 TIMES = 2 * REACH + 1;
    static constexpr u32 ALL_TIMES = (1u << TIMES) - 1;
    // Masks of three and of five time bins in each of three pads.
    static constexpr u32 THREE = 0x7 * (1 | 1 << TIMES | 1 << 2 * TIMES);
    static constexpr u32 FIVE = 0x1f * (1 | 1 << TIMES | 1 << 2 * TIMES);

    u32 threes[7];  // the middle pad ranges from three before the peak to three after it

    __device__ __forceinline__ OtherPeaks(const Strip& strip, const Shape& shape, uint2 peak) {
        u32 lines[TIMES];
#pragma unroll
        for (u32 i = 0; i < TIMES; i++) lines[i] = window(strip, shape, peak.x + i - REACH, peak.y - REACH, ALL_TIMES);
        lines[REACH] ^= 1u << REACH;
#pragma unroll
        for (u32 i = 0; i < 7; i++) threes[i] = lines[i] | lines[i + 1] << TIMES | lines[i + 2] << 2 * TIMES;
    }

    // Peaks within a step of a cell.
    __device__ __forceinline__ u32 neighbours_at(i32 a, i32 b) const {
        return threes[a + 3] & THREE << (b + REACH - 1);
    }

    // Peaks within two steps of a cell, some of them twice.
    __device__ __forceinline__ u32 near(i32 a, i32 b) const {
        return (threes[a + 2] | threes[a + 4]) & FIVE << (b + REACH - 2);
    }
};

// A bit for each cell within two steps of a peak.
PORTABLE_INLINE u32 cell_bit(i32 a, i32 b) { return 1u << (5 * (a + 2) + b + 2); }

// Shares of the charges around a peak.
struct Shares {
    Sums sums;
    u32 left;  // cells that are examined and have charge, even that of another peak
};

// Sums over lines of cells: fewer operations than a product for each cell.
struct LineSums {
    i32 pads[5] = {}, times[5] = {};
    u32 divided = 0;  // in the direction of pads, and of time in the upper half
    u32 left = 0;

    __device__ __forceinline__ void add(i32 a, i32 b, i32 share, bool is_divided) {
        if (share > 0) left |= cell_bit(a, b);
        pads[a + 2] += share;
        times[b + 2] += share;
        if (is_divided) divided += (a != 0 ? 1 : 0) | (b != 0 ? 1 << 16 : 0);
    }

    __device__ __forceinline__ Sums sums() const {
        Sums sums;
        sums.charge = pads[0] + pads[1] + pads[2] + pads[3] + pads[4];
        sums.pad = 2 * (pads[4] - pads[0]) + pads[3] - pads[1];
        sums.pad_squared = 4 * (pads[4] + pads[0]) + pads[3] + pads[1];
        sums.time = 2 * (times[4] - times[0]) + times[3] - times[1];
        sums.time_squared = 4 * (times[4] + times[0]) + times[3] + times[1];
        sums.divided = divided;
        return sums;
    }
};

// Divides a charge of 14 bits by one to four, truncated. A third is a product with 43691 / 2¹⁷,
// which is too large by a third of 2⁻¹⁷: less than a third for all charges.
PORTABLE_INLINE i32 divided(u32 charge, u32 claims) {
    return (i32)(claims == 3 ? charge * 43691 >> 17 : charge >> claims / 2);
}

// The peaks within two steps of a cell: a bit for each time bin, five for each pad.
PORTABLE_INLINE u32 peaks_near(const Strip& strip, const Shape& shape, u32 pad, u32 time) {
    u32 peaks = 0;
#pragma unroll
    for (u32 i = 0; i < 5; i++) peaks |= window(strip, shape, pad + i - 2, time - 2, 0x1f) << 5 * i;
    return peaks;
}

// Bit of the cell itself; bits of its neighbours and itself.
constexpr u32 ITSELF = 0x4 << 10;
constexpr u32 BESIDE = 0xe << 5 | 0xe << 10 | 0xe << 15;

// Number of the peaks two steps from a cell that claim its charge: those where the charge of the
// cell in between is above the threshold.
PORTABLE_INLINE u32 claims(const Strip& strip, const Shape& shape, u32 pad, u32 time, u32 peaks) {
    const u16* at = entries(strip) + shape.cell(pad, time);
    u32 claims = 0;
#pragma unroll 1
    for (; peaks != 0; peaks &= peaks - 1) {
        const i32 bit = __ffs((int)peaks) - 1, a = (bit / 5 - 2) / 2, b = (bit % 5 - 2) / 2;
        const i32 charge = at[a * (i32)shape.stride + b] & CHARGE;
        claims += charge > strip.settings.inner_threshold && !is_noisy(strip, pad + (u32)a);
    }
    return claims;
}

// A bit for each of the nine cells around a peak.
PORTABLE_INLINE u32 inner_bit(i32 a, i32 b) { return 1u << (3 * (a + 1) + b + 1); }

// Adds the shares of the cells next to a peak; returns a bit for each cell beyond which the cluster
// continues.
PORTABLE_INLINE u32 add_inner(const u16* at, i32 stride, const OtherPeaks& others, i32 threshold, LineSums& sums) {
    u32 wide = 0;
#pragma unroll
    for (i32 a = -1; a <= 1; a++) {
#pragma unroll
        for (i32 b = -1; b <= 1; b++) {
            if (a == 0 && b == 0) continue;
            const u32 entry = at[a * stride + b];
            const u32 claims = 1 + (u32)__popc(others.neighbours_at(a, b));
            const i32 share = divided(entry & CHARGE, claims);
            sums.add(a, b, share, claims > 1 && entry & PRESENT);
            if (share > threshold) wide |= inner_bit(a, b);
        }
    }
    return wide;
}

// Adds the charges two steps from a peak that no other peak can claim; returns a bit for each other
// sample that may belong to the cluster.
PORTABLE_INLINE u32 add_outer(const u16* at, i32 stride, const OtherPeaks& others, u32 wide, LineSums& sums) {
    u32 contested = 0;
#pragma unroll
    for (i32 a = -2; a <= 2; a++) {
#pragma unroll
        for (i32 b = -2; b <= 2; b++) {
            if (a * a < 4 && b * b < 4) continue;
            const u32 entry = wide & inner_bit(a / 2 + a % 2, b / 2 + b % 2) ? at[a * stride + b] : 0;
            const bool is_own = others.near(a, b) == 0;
            sums.add(a, b, is_own ? (i32)(entry & CHARGE) : 0, false);
            contested |= !is_own && entry ? cell_bit(a, b) : 0;
        }
    }
    return contested;
}

// Adds the share of a sample two steps from a peak; a sample next to other peaks adds nothing, but
// may still have charge.
PORTABLE_INLINE void add_contested(const Strip& strip, const Shape& shape, uint2 peak, i32 a, i32 b, Shares& shares) {
    const u32 pad = peak.x + (u32)a, time = peak.y + (u32)b;
    const u32 peaks = peaks_near(strip, shape, pad, time);
    const u32 charge = entries(strip)[shape.cell(pad, time)] & CHARGE;
    if (peaks & BESIDE) {
        const u32 sharing = peaks & ITSELF ? 1 : (u32)__popc(peaks & BESIDE);
        if (charge >= sharing) shares.left |= cell_bit(a, b);
        return;
    }
    const u32 claimed = claims(strip, shape, pad, time, peaks);
    const i32 share = claimed <= 4 ? divided(charge, max(claimed, 1u)) : (i32)(charge / claimed);
    shares.sums.add(a, b, share, claimed > 1);
    if (share > 0) shares.left |= cell_bit(a, b);
}

// Computes the shares that a peak has in the charges around it.
PORTABLE_INLINE Shares shares_around(const Strip& strip, const Shape& shape, u32 cell, uint2 peak) {
    const u16* at = entries(strip) + cell;
    const i32 stride = (i32)shape.stride, threshold = strip.settings.inner_threshold;
    const OtherPeaks others(strip, shape, peak);
    LineSums lines;
    lines.add(0, 0, at[0] & CHARGE, false);
    const u32 wide = add_inner(at, stride, others, threshold, lines);
    u32 contested = add_outer(at, stride, others, wide, lines);
    Shares shares = {lines.sums(), lines.left};
#pragma unroll 1
    for (; contested != 0; contested &= contested - 1) {
        const i32 bit = __ffs((int)contested) - 1;
        add_contested(strip, shape, peak, bit / 5 - 2, bit % 5 - 2, shares);
    }
    return shares;
}

// Adds the clusters that some lanes of a warp have, all of one row; returns the index of the lane's
// own. All lanes take part. Clusters beyond the capacity are counted but not stored.
PORTABLE_INLINE u32 add_clusters(const FoundClusters& to, u32 row, bool is_found, const PackedCluster& cluster) {
    const lanemask_t found = __ballot_sync(FULL_MASK, is_found);
    if (found == 0) return 0;
    const u32 lane = threadIdx.x % LANES, count = (u32)popc(found);
    u64 before = 0;
    if (lane == 0) before = atomicAdd(to.totals, (u64)1 << 32 | count);
    before = __shfl_sync(FULL_MASK, before, 0);
    const u32 first = (u32)before, run = (u32)(before >> 32);
    if (lane == 0 && run < to.max_runs) to.runs[run] = {row, first, count};
    const u32 index = first + (u32)popc(found & lanemask_lt(lane));
    if (is_found && index < to.max_clusters) to.clusters[index] = cluster;
    return index;
}

// Forms the cluster around a peak; returns true if it is large enough. `left` has a bit for each
// cell around it that still has charge.
PORTABLE_INLINE bool form_cluster(const Strip& strip, const Shape& shape, u32 cell, PackedCluster& cluster, u32& left) {
    const uint2 position = shape.position(cell);
    const Shares shares = shares_around(strip, shape, cell, position);
    left = shares.left;
    const i32 charge = entries(strip)[cell] & CHARGE;
    const Peak peak = {(i32)position.x, (i32)(shape.first_time + position.y), charge};
    return pack(shares.sums, peak, (i32)shape.pads, strip.settings, cluster);
}

// Adds the clusters around all remaining peaks of the tile. All lanes of a warp loop as long as its
// first one does: the warp adds their clusters together.
PORTABLE_INLINE void find_clusters(const Strip& strip, const Shape& shape, u32 row, const FoundClusters& found) {
#pragma unroll 1
    for (u32 i = threadIdx.x; i - threadIdx.x % LANES < strip.own; i += FIND_THREADS) {
        const u32 peak = i < strip.own ? strip.peaks[i] : NOISE;
        PackedCluster cluster;
        u32 left;
        const bool is_found = !(peak & NOISE) && form_cluster(strip, shape, peak, cluster, left);
        add_clusters(found, row, is_found, cluster);
    }
}

}  // namespace
