// Clusters of a side: links of its digis, and the sums of chains.
// nvcc: -fmad=false
#pragma once
#include "digi.h"
#include "portable.h"
#include "records.h"
#include "rules.h"
#include "scan.h"

// Dynamic distribution of indices to warps.

// Takes one index per lane of a warp at a time: some take longer than others.
class Turns {
    u32* next;

  public:
    // `next` is zero at the start.
    __device__ __forceinline__ Turns(u32* next) : next(next) {}

    __device__ __forceinline__ u32 take() const {
        const u32 lane = threadIdx.x % LANES;
        u32 first = 0;
        if (lane == 0) first = atomicAdd(next, (u32)LANES);
        return __shfl_sync(FULL_MASK, first, 0) + lane;
    }
};

// The digis of a side, and their links.
//
// Each digi has a word, its connector: the index of its successor in its side, and a bit that is
// set if it has a predecessor. Index 0 means no successor: successors lie in higher channels, so
// never at index 0.

// Set for digis that follow another one.
constexpr u32 FOLLOWS = 1u << 31;
constexpr u32 NO_SUCCESSOR = 0;
// Offsets of the channels of a side, and the end of the last one.
constexpr u32 CHANNEL_OFFSETS = CHANNELS_OF_SIDE + 1;

// Indices count from the side's first digi; digis are in order of channel and time.
struct DigisOfSide {
    const u64* digis;
    u32* connectors;
    u32* channels;
    u32 count;

    __device__ __forceinline__ DigisOfSide(const u64* digis, u32* connectors, u32* channels, const u32* side_offsets,
                                           u32 side)
        : digis(digis + side_offsets[side]),
          connectors(connectors + side_offsets[side]),
          channels(channels + side * CHANNEL_OFFSETS),
          count(side_offsets[side + 1] - side_offsets[side]) {}

    __device__ __forceinline__ u64 digi(u32 index) const { return digis[index]; }
    __device__ __forceinline__ u32 time(u32 index) const { return digi_time(digis[index]); }
    __device__ __forceinline__ u32 channel_begin(u32 channel) const { return channels[channel]; }
    __device__ __forceinline__ u32 follower(u32 index) const { return connectors[index] & ~FOLLOWS; }
    __device__ __forceinline__ bool is_first(u32 index) const { return !(connectors[index] & FOLLOWS); }

    template <class Rules> __device__ __forceinline__ void connect(u32 index, u32 follower) const {
        atomicOr(&connectors[index], follower);
        atomicOr(&connectors[follower], FOLLOWS);
    }
};

// Links between digis: see sts/clusters/connectors.rs. A side is a [`DigisOfSide`], or a type with
// the same members.

// Writes the offsets of the channels after that of the previous digi up to that of this one; the
// last digi also writes those of all remaining channels.
template <class Side> __device__ __forceinline__ void find_channels(const Side& side, u32 index) {
    const u32 channel = digi_channel(side.digi(index));
    const u32 first = index == 0 ? 0 : digi_channel(side.digi(index - 1)) + 1;
    for (u32 c = first; c <= channel; c++) side.channels[c] = index;
    if (index + 1 < side.count) return;
    for (u32 c = channel + 1; c < CHANNEL_OFFSETS; c++) side.channels[c] = side.count;
}

// Range of indices of a channel's digis.
struct IndexRange {
    u32 begin, end;

    template <class Side> __device__ __forceinline__ IndexRange(const Side& side, u32 channel) : begin(0), end(0) {
        if (channel >= CHANNELS_OF_SIDE) return;
        begin = side.channel_begin(channel);
        end = side.channel_begin(channel + 1);
    }
};

// The earliest digi of a range that is not too early to follow one at `time`.
template <class Rules, class Side>
__device__ __forceinline__ u32 earliest(const Side& side, u32 begin, u32 end, u32 time, const Window& window) {
    const typename Rules::Earliest sought(window, time);
    return lower_bound(begin, end, [&](u32 index) { return !sought.is_reached(side.time(index)); });
}

// Connects a digi with the earliest near one of a range; returns the first index that remains for
// others.
template <class Rules, class Side>
__device__ __forceinline__ u32 connect_with(const Side& side, u32 index, u32 begin, u32 end, const Window& window) {
    const u32 time = side.time(index);
    const u32 follower = earliest<Rules>(side, begin, end, time, window);
    if (follower >= end || !Rules::not_after(window, time, side.time(follower))) return begin;
    side.template connect<Rules>(index, follower);
    return follower + 1;
}

// True if a digi and the next one may both be near a third one.
template <class Side> __device__ __forceinline__ bool is_crowded(const Side& side, u32 index, const Window& window) {
    return side.time(index + 1) - side.time(index) <= window.crowd_ns;
}

// Connects all digis of a run if this is its first: digis of a channel so near to each other that
// they may choose the same successor. They choose one after the other, so the result is
// deterministic.
template <class Rules, class Side>
__device__ __forceinline__ void connect_run(const Side& side, u32 index, const Window& window) {
    const u32 channel = digi_channel(side.digi(index));
    const IndexRange current(side, channel), next(side, channel + 1);
    if (index > current.begin && is_crowded(side, index - 1, window)) return;
    u32 free = next.begin;
    for (bool continues = true; continues; index++) {
        free = connect_with<Rules>(side, index, free, next.end, window);
        continues = index + 1 < current.end && is_crowded(side, index, window);
    }
}

template <class Rules, class Side>
__device__ __forceinline__ void connect(const Side& side, u32 index, const Window& window) {
    if constexpr (Rules::SUCCESSORS == Successors::EXCLUSIVE) {
        connect_run<Rules>(side, index, window);
    } else {
        const IndexRange next(side, digi_channel(side.digi(index)) + 1);
        connect_with<Rules>(side, index, next.begin, next.end, window);
    }
}

// Cluster of a chain of digis of a side (a [`DigisOfSide`], or a type with the same members): see
// sts/clusters/formulas.rs. Values by the charges of one or two digis, and errors of times, are
// looked up in tables made by the host's formulas.

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

// Arguments of finding clusters; each kernel uses a part of it. Sides are ranges of the
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
