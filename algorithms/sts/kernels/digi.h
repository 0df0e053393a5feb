// Digis and the keys that they are sorted by.
#pragma once
#include "portable.h"

// Fields of a digi (see generators::sts::Digi). From the lowest bit: 31 bits of time in ns, 1 of
// the address, 5 of charge, 11 of channel, 16 of the address.

constexpr u32 TIME_BITS = 31;
constexpr u32 CHARGE_BITS = 5;
constexpr u32 CHARGE_SHIFT = 32;
constexpr u32 CHANNEL_BITS = 11;
constexpr u32 CHANNEL_SHIFT = 37;
constexpr u32 CHANNELS = 1u << CHANNEL_BITS;
constexpr u32 KEY_BITS = CHANNEL_BITS + TIME_BITS;

__device__ __forceinline__ u32 digi_time(u64 digi) { return (u32)digi & ((1u << TIME_BITS) - 1); }

__device__ __forceinline__ u32 digi_channel(u64 digi) { return (u32)(digi >> CHANNEL_SHIFT) & (CHANNELS - 1); }

__device__ __forceinline__ u32 digi_charge(u64 digi) { return (u32)(digi >> CHARGE_SHIFT) & ((1u << CHARGE_BITS) - 1); }

// Sort key of a digi: the channel above the time.
__device__ __forceinline__ u64 digi_key(u64 digi) {
    return (u64)digi_channel(digi) << TIME_BITS | digi_time(digi);
}

// All bits of a digi with those of the key as the most significant ones: sorting by this value
// sorts by the key, and the order is unique.
__device__ __forceinline__ u64 ordered_from_digi(u64 digi) {
    const u64 others = (digi >> TIME_BITS & 0x3f) << 16 | digi >> 48;
    return digi_key(digi) << 22 | others;
}

__device__ __forceinline__ u64 digi_from_ordered(u64 ordered) {
    const u64 key = ordered >> 22, others = ordered & 0x3fffff;
    const u64 time = key & ((1u << TIME_BITS) - 1), channel = key >> TIME_BITS;
    return others << 48 | channel << CHANNEL_SHIFT | (others >> 16) << TIME_BITS | time;
}
