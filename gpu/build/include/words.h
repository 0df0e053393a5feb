// Runs of 8-byte words that a block moves 16 bytes at a time, at any alignment in global memory.
#pragma once
#include "portable.h"

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
