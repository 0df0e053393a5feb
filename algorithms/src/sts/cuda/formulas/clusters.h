// Cluster of a chain of digis of a side (a [`DigisOfSide`], or a type with the same members): see
// sts/clusters/formulas.rs. Values by the charges of one or two digis, and errors of times, are
// looked up in tables made by the host's formulas.
// nvcc: -fmad=false
#pragma once
#include "chain.h"
#include "digi.h"
#include "records.h"
#include "rules.h"

constexpr u32 CHARGE_STEPS = 32;
static_assert(CHARGE_STEPS == 1u << CHARGE_BITS, "a step for each charge");

struct Shape {
    float charge, position, position_error;
};

// Layout written by `tables.rs`.
struct ClusterTables {
    float charges[CHARGE_STEPS], variances[CHARGE_STEPS];
    // The position's error of a single digi.
    float single_error;
    // Shapes by the charges of both digis; positions are relative to the middle between them.
    Shape pairs[CHARGE_STEPS][CHARGE_STEPS];
    // Indexed by the number of digis.
    float time_errors[CHANNELS_OF_SIDE + 1];
};

// What finding clusters reads and writes; each kernel uses a part of it. Sides are ranges of the
// digis, which are in order of channel and time, and have capacity for a cluster of each digi.
struct ClusterFinding {
    u64* digis;
    // Offsets of sides, with the end of the last one.
    const u32* side_offsets;
    // CHANNEL_OFFSETS words for each side.
    u32* channels;
    // Links of digis, and a byte for each that follows another one, which ends with a whole word.
    u32* connectors;
    u8* follows;
    const ClusterTables* tables;
    Cluster* clusters;
    // Counts of clusters, zero at the start.
    Found* found;
    // Clusters in order of time.
    Entry* entries;
    // Sides or tiles that blocks take, if not all.
    const u32* listed;
    u32 sides;
    Window window;
    // The fewest digis of a side in a listed tile.
    u32 min_digis;

    // Strips on the back follow those on the front.
    __device__ __forceinline__ float offset(u32 side) const {
        return side < sides / 2 ? 0.0f : (float)CHANNELS_OF_SIDE;
    }
};

// A chain, summed up from its first digi on.
template <class Rules> struct ChainSums {
    u32 size = 0;
    u32 left = 0, right = 0;
    u32 first_time = 0, last_time = 0;
    typename Rules::Times times;
    // Sums over the digis between the ends.
    float middle_charge = 0, middle_variance = 0;

    __device__ __forceinline__ void add(u64 digi, const ClusterTables& tables) {
        if (size > 1) {
            middle_charge += tables.charges[right];
            middle_variance += tables.variances[right];
        }
        right = digi_charge(digi);
        last_time = digi_time(digi);
        times.add(last_time);
        if (size == 0) {
            left = right;
            first_time = last_time;
        }
        size++;
    }
};

// The position of charges so uneven that the usual formula leaves the cluster.
template <class Side>
__device__ __forceinline__ float centre_of_gravity(const Side& side, u32 first, float charge,
                                                   const ClusterTables& tables) {
    float sum = 0, channel = (float)digi_channel(side.digi(first));
    u32 index = first;
    do {
        sum += tables.charges[digi_charge(side.digi(index))] * channel;
        channel += 1.0f;
        index = side.follower(index);
    } while (index != NO_SUCCESSOR);
    return sum / charge;
}

template <class Rules, class Side>
__device__ __forceinline__ Shape shape_of_several(const Side& side, u32 first, const ChainSums<Rules>& sums,
                                                  const ClusterTables& tables) {
    const float q1 = tables.charges[sums.left], q2 = tables.charges[sums.right];
    const float count = (float)(sums.size - 2);
    const float mean = sums.middle_charge / count, variance = sums.middle_variance / count;
    const u32 channel = digi_channel(side.digi(first));
    const float start = (float)channel, end = (float)(channel + sums.size - 1);
    const float difference = q2 - q1, charge = q1 + sums.middle_charge + q2;
    // Dividing 0 takes the slow path for numbers out of range, so 1 is divided instead.
    const bool is_even = difference == 0;
    const float divided = is_even ? 1.0f : difference;
    float position = 0.5f * (start + end + (is_even ? 0 : divided / mean));
    if (position < start || position > end) position = centre_of_gravity(side, first, charge, tables);
    const float left = tables.variances[sums.left] / mean / mean / 4.0f;
    const float right = tables.variances[sums.right] / mean / mean / 4.0f;
    const float inner = variance * divided * divided / mean / mean / mean / mean / 4.0f;
    return {charge, position, sqrtf(left + (is_even ? 0 : inner) + right)};
}

template <class Rules, class Side>
__device__ __forceinline__ Shape shape_of(const Side& side, u32 first, const ChainSums<Rules>& sums,
                                          const ClusterTables& tables) {
    const float channel = (float)digi_channel(side.digi(first));
    if (sums.size == 1) return {tables.charges[sums.left], channel, tables.single_error};
    if (sums.size == 2) {
        const Shape& pair = tables.pairs[sums.left][sums.right];
        return {pair.charge, channel + 0.5f + pair.position, pair.position_error};
    }
    return shape_of_several(side, first, sums, tables);
}

// The cluster of a digi that has no neighbours.
__device__ __forceinline__ Cluster cluster_of_one(u64 digi, float offset, const ClusterTables& tables) {
    return {tables.charges[digi_charge(digi)],
            1,
            (float)digi_channel(digi) + offset,
            tables.single_error,
            digi_time(digi),
            tables.time_errors[1]};
}

// The cluster of the chain that a digi leads; `offset` is that of the side's positions.
template <class Rules, class Side>
__device__ __forceinline__ Cluster cluster_of(const Side& side, u32 first, float offset,
                                              const ClusterTables& tables) {
    ChainSums<Rules> sums;
    for (u32 index = first; index != NO_SUCCESSOR || sums.size == 0; index = side.follower(index))
        sums.add(side.digi(index), tables);
    const Shape shape = shape_of(side, first, sums, tables);
    return {shape.charge,
            (i32)sums.size,
            shape.position + offset,
            shape.position_error,
            sums.times.mean(sums.size, sums.first_time, sums.last_time),
            tables.time_errors[sums.size]};
}
