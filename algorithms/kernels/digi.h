// Digis, and wide loads and stores of words.
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

// Runs of 8-byte words that a block moves 16 bytes at a time, at any alignment in global memory.

// Number of words before the first 16-byte boundary: 0 or 1.
__device__ __forceinline__ u32 misaligned_words(const void* words) {
    return (u32)((unsigned long long)words / sizeof(u64) % 2);
}

// Calls `take(index, word)` for each of `count` words, distributed over the threads.
template <u32 THREADS, class Take>
__device__ __forceinline__ void for_each_word(const u64* words, u32 count, Take take) {
    const u32 head = min(count, misaligned_words(words));
    const ulonglong2* pairs = reinterpret_cast<const ulonglong2*>(words + head);
    const u32 pair_count = (count - head) / 2;
    if (threadIdx.x == 0 && head) take(0u, words[0]);
#pragma unroll 4
    for (u32 p = threadIdx.x; p < pair_count; p += THREADS) {
        const ulonglong2 pair = pairs[p];
        take(head + 2 * p, (u64)pair.x);
        take(head + 2 * p + 1, (u64)pair.y);
    }
    const u32 done = head + 2 * pair_count;
    if (threadIdx.x == THREADS - 1 && done < count) take(done, words[done]);
}

// Writes `make(index)` to each of `count` words, distributed over the threads: those of the block,
// or those of a warp with the lane as `thread`.
template <u32 THREADS, class Make>
__device__ __forceinline__ void write_each_word(u64* words, u32 count, Make make, u32 thread = threadIdx.x) {
    const u32 head = min(count, misaligned_words(words));
    ulonglong2* pairs = reinterpret_cast<ulonglong2*>(words + head);
    const u32 pair_count = (count - head) / 2;
    if (thread == 0 && head) words[0] = make(0u);
#pragma unroll 4
    for (u32 p = thread; p < pair_count; p += THREADS) {
        ulonglong2 pair;
        pair.x = make(head + 2 * p);
        pair.y = make(head + 2 * p + 1);
        pairs[p] = pair;
    }
    const u32 done = head + 2 * pair_count;
    if (thread == THREADS - 1 && done < count) words[done] = make(done);
}
