// Which digi follows which: see sts/clusters/connectors.rs.
#pragma once
#include "chain.h"
#include "digi.h"
#include "rules.h"
#include "search.h"

// Says where the channels up to that of a digi begin that the digi before it has not
// reached; the last digi says so of all that are left.
__device__ __forceinline__ void find_channels(const DigisOfSide& side, u32 place) {
    const u32 channel = digi_channel(side.digis[place]);
    const u32 first = place == 0 ? 0 : digi_channel(side.digis[place - 1]) + 1;
    for (u32 c = first; c <= channel; c++) side.channels[c] = place;
    if (place + 1 < side.count) return;
    for (u32 c = channel + 1; c < CHANNEL_OFFSETS; c++) side.channels[c] = side.count;
}

// The places of a channel's digis.
struct Places {
    u32 begin, end;

    __device__ __forceinline__ Places(const DigisOfSide& side, u32 channel) : begin(0), end(0) {
        if (channel >= CHANNELS_OF_SIDE) return;
        begin = side.channels[channel];
        end = side.channels[channel + 1];
    }
};

// The earliest digi of some places that is not too early to follow one at `time`.
template <class Rules>
__device__ __forceinline__ u32 earliest(const DigisOfSide& side, u32 begin, u32 end, u32 time, const Window& window) {
    return first_not(begin, end,
                     [&](u32 place) { return !Rules::not_before(window, time, digi_time(side.digis[place])); });
}

// Connects a digi with the earliest of some places that is near; returns the first
// place that is left to others.
template <class Rules>
__device__ __forceinline__ u32 connect_with(const DigisOfSide& side, u32 place, u32 begin, u32 end,
                                            const Window& window) {
    const u32 time = digi_time(side.digis[place]);
    const u32 follower = earliest<Rules>(side, begin, end, time, window);
    if (follower >= end || !Rules::not_after(window, time, digi_time(side.digis[follower]))) return begin;
    atomicOr(&side.connectors[place], follower);
    atomicOr(&side.connectors[follower], FOLLOWS);
    return follower + 1;
}

// Whether a digi and the next one may both see a third one.
__device__ __forceinline__ bool is_crowded(const DigisOfSide& side, u32 place, const Window& window) {
    return digi_time(side.digis[place + 1]) - digi_time(side.digis[place]) <= window.crowd_ns;
}

// Connects all digis of a run, if this is its first: digis of a channel so near to each
// other that they may choose the same one. They choose in turn, so no choice is left to
// chance.
template <class Rules>
__device__ __forceinline__ void connect_run(const DigisOfSide& side, u32 place, const Window& window) {
    const u32 channel = digi_channel(side.digis[place]);
    const Places own(side, channel), next(side, channel + 1);
    if (place > own.begin && is_crowded(side, place - 1, window)) return;
    u32 free = next.begin;
    for (bool goes_on = true; goes_on; place++) {
        free = connect_with<Rules>(side, place, free, next.end, window);
        goes_on = place + 1 < own.end && is_crowded(side, place, window);
    }
}

template <class Rules>
__device__ __forceinline__ void connect(const DigisOfSide& side, u32 place, const Window& window) {
    if constexpr (Rules::SUCCESSORS == Successors::EXCLUSIVE) {
        connect_run<Rules>(side, place, window);
    } else {
        const Places next(side, digi_channel(side.digis[place]) + 1);
        connect_with<Rules>(side, place, next.begin, next.end, window);
    }
}
