// Events, and ranks of hits, as the experiment's kernels see them.
// nvcc: -fmad=false
#pragma once
#include "event.h"

namespace velo::published {

constexpr u32 SENSORS = 208;

// Words of a bank without their count, and the first sensor.
struct BankWords {
    const u32* words;
    u32 count, sensor;
};

__device__ __forceinline__ BankWords words_of(const Events& events, const EventHeader& header, u32 index) {
    const Bank bank = events.banks[header.first_bank + index];
    const bool has_count = header.version < 4 && bank.words > 0;
    const u32* words = events.words + bank.first_word;
    return {has_count ? words + 1 : words, has_count ? words[0] : bank.words, first_sensor(header, bank)};
}

// Column and row of the address of a super-pixel.
__device__ __forceinline__ i32 column_of(u32 word) { return (i32)(word >> 14 & 0x1ff); }
__device__ __forceinline__ i32 row_of(u32 word) { return (i32)(word >> 8 & 63); }

// Sensor of a super-pixel of a bank.
__device__ __forceinline__ u32 sensor_of(const EventHeader& header, const BankWords& bank, u32 word) {
    return bank.sensor + (header.version >= 4 ? word >> 23 & 1 : 0);
}

// Key of the order of hits: the angle, signed, then the identifier.
__device__ __forceinline__ u64 key_at(const HitArrays& hits, u32 index) {
    return (u64)(u16)(hits.phi[index] ^ (i16)0x8000) << 32 | id_of(hits, index);
}

// Copies the hits of a pair of modules from the index `first` on to their ranks, which are found by counting.
// `is_earlier` orders hits with equal keys, which the experiment loses. All threads of the block call it.
template <u32 THREADS, class IsEarlier>
__device__ __forceinline__ void store_by_rank(
    const HitArrays& from, const HitArrays& to, u32 first, u32 words, u64 end_key, IsEarlier is_earlier) {
    for (u32 hit = threadIdx.x; hit < words; hit += THREADS) {
        const u64 key = key_at(from, first + hit);
        if (key >= end_key) continue;
        u32 rank = 0, equal = 0;
        for (u32 other = 0; other < words; other++) {
            const u64 other_key = key_at(from, first + other);
            rank += other_key < key ? 1 : 0;
            equal += other_key == key ? 1 : 0;
        }
        if (equal > 1) {
            for (u32 other = 0; other < words; other++) {
                if (other != hit && key_at(from, first + other) == key && is_earlier(other, hit)) rank++;
            }
        }
        const u32 source = first + hit, target = first + rank;
        copy_hit(from, source, to, target);
    }
}

}  // namespace velo::published
