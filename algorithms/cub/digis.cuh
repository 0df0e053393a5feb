// Digis as keys that CUB can sort, and back.
#pragma once
#include "digi.h"

// Bits of ordered_from_digi() below those that digis are sorted by: charge and address.
constexpr u32 OTHER_BITS = 64 - KEY_BITS;

// Bits of a digi that are not of its key: the lowest 22 bits of ordered_from_digi().
__device__ __forceinline__ u32 others_of_digi(u64 digi) { return (u32)ordered_from_digi(digi) & 0x3fffff; }

__device__ __forceinline__ u64 digi_from_key(u64 key, u32 others) {
    return digi_from_ordered(key << OTHER_BITS | others);
}

// Segment, channel, time and charge, from the highest bit; there are no bits left for the address.
constexpr u32 SEGMENT_SHIFT = KEY_BITS + CHARGE_BITS;
constexpr u32 SEGMENT_BITS = 64 - SEGMENT_SHIFT;

__device__ __forceinline__ u64 composite_from_digi(u64 segment, u64 digi) {
    return segment << SEGMENT_SHIFT | digi_key(digi) << CHARGE_BITS | digi_charge(digi);
}

__device__ __forceinline__ u64 digi_from_composite(u64 composite) {
    const u64 charge = composite & ((1u << CHARGE_BITS) - 1), key = composite >> CHARGE_BITS;
    const u64 time = key & ((1u << TIME_BITS) - 1), channel = key >> TIME_BITS & (CHANNELS - 1);
    return channel << CHANNEL_SHIFT | charge << CHARGE_SHIFT | time;
}
