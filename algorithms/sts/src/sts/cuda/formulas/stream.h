// The stream of a detector, and which module side its digis are of.
#pragma once
#include "digi.h"
#include "records.h"

// The channel's bit that is set for a back side's digis in the stream.
constexpr u64 BACK = (u64)CHANNELS_OF_SIDE << CHANNEL_SHIFT;

// Index of the module of an address in tables: by unit, ladder, half ladder and position, as the
// host's `Address::module`. So modules of a detector are near each other.
__device__ __forceinline__ u32 position_of(u32 address) {
    return (address & 0x3f) << 11 | (address >> 6 & 0x1f) << 6 | (address >> 11 & 1) << 5 | address >> 12;
}

// `modules` has the module of each address.
struct Stream {
    const u64* digis;
    const u32* modules;
    u32 sides;

    __device__ __forceinline__ u32 side_of(u64 digi) const {
        const u32 address = (u32)(digi >> TIME_BITS & 1) << 16 | (u32)(digi >> 48);
        return modules[position_of(address)] + (digi & BACK ? sides / 2 : 0);
    }
};

// A digi with its channel counted on its side.
__device__ __forceinline__ u64 of_side(u64 digi) { return digi & ~BACK; }
