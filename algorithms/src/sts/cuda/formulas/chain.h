// The digis of a side, and who follows whom.
//
// Each digi has a word, its connector: the place of its follower in its side, and a bit
// that says that it follows another one. A place of 0 means nobody: who follows is in a
// higher channel and so never the first.
#pragma once
#include "digi.h"
#include "sides.h"

// Set for digis that follow another one.
constexpr u32 FOLLOWS = 1u << 31;
constexpr u32 NOBODY = 0;
// Where each channel of a side begins, and where the last one ends.
constexpr u32 CHANNEL_OFFSETS = CHANNELS_OF_SIDE + 1;

// Places count from the side's first digi; digis are in order of channel and time.
struct DigisOfSide {
    const u64* digis;
    u32* connectors;
    u32* channels;
    u32 count;

    __device__ __forceinline__ DigisOfSide(const u64* digis, u32* connectors, u32* channels, const u32* begins,
                                           u32 side)
        : digis(digis + begins[side]),
          connectors(connectors + begins[side]),
          channels(channels + side * CHANNEL_OFFSETS),
          count(begins[side + 1] - begins[side]) {}

    __device__ __forceinline__ u64 digi(u32 place) const { return digis[place]; }
    __device__ __forceinline__ u32 time(u32 place) const { return digi_time(digis[place]); }
    __device__ __forceinline__ u32 channel_begin(u32 channel) const { return channels[channel]; }
    __device__ __forceinline__ u32 follower(u32 place) const { return connectors[place] & ~FOLLOWS; }
    __device__ __forceinline__ bool is_first(u32 place) const { return !(connectors[place] & FOLLOWS); }

    template <class Rules> __device__ __forceinline__ void connect(u32 place, u32 follower) const {
        atomicOr(&connectors[place], follower);
        atomicOr(&connectors[follower], FOLLOWS);
    }
};
