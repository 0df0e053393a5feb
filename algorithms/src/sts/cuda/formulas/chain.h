// The digis of a side, and their links.
//
// Each digi has a word, its connector: the index of its successor in its side, and a bit that is
// set if it has a predecessor. Index 0 means no successor: successors lie in higher channels, so
// never at index 0.
#pragma once
#include "digi.h"
#include "sides.h"

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
