// Links between digis: see sts/clusters/connectors.rs. A side is a [`DigisOfSide`], or a type with
// the same members.
#pragma once
#include "chain.h"
#include "digi.h"
#include "rules.h"
#include "search.h"

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
