// Output of samples as lists: digits, or positions and a parallel list of charges, from which
// charge_tiles.cu makes maps.
#pragma once
#include "../pages/target.h"

namespace {

struct StoredDigitOutput : DigitOutput {
    __device__ __forceinline__ void move(u32 samples) { values += (i32)samples; }

    // Streaming store: the list is not read soon.
    __device__ __forceinline__ void store(u32 sample, u64 digit) const { __stcs(&values[sample], digit); }
    // Stores two samples at an aligned address.
    __device__ __forceinline__ void store_pair(u64 digit, u64 next) const {
        __stcs(reinterpret_cast<ulonglong2*>(values), make_ulonglong2(digit, next));
    }
};

struct StoredDigitTarget {
    using Output = StoredDigitOutput;
    u64* digits;

    __device__ __forceinline__ Output of(const PageRecord& page, u32 slot) const {
        return {DigitTarget{digits}.of(page, slot)};
    }
};

// A position and, inside of the fragment, a charge.
struct ListedCharge {
    u32 position;
    u16 charge;
};

struct ListedOutput : ChargeMaker {
    using Value = ListedCharge;

    u32* positions;
    u16* charges;

    __device__ __forceinline__ ListedOutput(const ChargeMaker& maker, u32* positions, u16* charges)
        : ChargeMaker(maker), positions(positions), charges(charges) {}

    __device__ __forceinline__ void move(u32 samples) {
        positions += (i32)samples;
        charges += (i32)samples;
    }

    __device__ __forceinline__ Value make(u32 time_bin, Cell cell, u32 adc) const {
        if (has(time_bin)) return {position_of(cell.column, time(time_bin)), charge(cell, adc)};
        return {OUTSIDE, time_bin < first_time_bin ? (u16)0 : BEHIND};
    }

    __device__ __forceinline__ void store(u32 sample, Value value) const {
        positions[sample] = value.position;
        charges[sample] = value.charge;
    }

    __device__ __forceinline__ void store_pair(Value value, Value next) const {
        *reinterpret_cast<uint2*>(positions) = make_uint2(value.position, next.position);
        *reinterpret_cast<u32*>(charges) = value.charge | (u32)next.charge << 16;
    }
};

struct ListedTarget {
    using Output = ListedOutput;
    const Fragment* fragment;
    const float* gains;  // COLUMNS of each sector
    u32* positions;
    u16* charges;

    __device__ __forceinline__ Output of(const PageRecord& page, u32 slot) const {
        return {maker_of(*fragment, gains, page), positions + slot, charges + slot};
    }
};

}  // namespace
