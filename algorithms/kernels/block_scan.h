// Warp sums and extremes, block prefix sums.
#pragma once
#include "portable.h"

// Inclusive prefix sum over the lanes of the warp.
__device__ __forceinline__ u32 warp_inclusive_sum(u32 value) {
    const u32 lane = threadIdx.x % LANES;
    for (u32 distance = 1; distance < LANES; distance *= 2) {
        const u32 below = __shfl_up_sync(FULL_MASK, value, distance);
        if (lane >= distance) value += below;
    }
    return value;
}

// Sum of the warp, in all its lanes.
__device__ __forceinline__ u32 warp_sum(u32 value) {
    for (u32 distance = LANES / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(FULL_MASK, value, (int)distance);
    return value;
}

// Minimum of the warp, in all its lanes.
__device__ __forceinline__ u32 warp_min(u32 value) {
    for (u32 distance = LANES / 2; distance > 0; distance /= 2)
        value = min(value, __shfl_xor_sync(FULL_MASK, value, (int)distance));
    return value;
}

// Maximum of the warp, in all its lanes.
template <class Number>
__device__ __forceinline__ Number warp_max(Number value) {
    for (u32 distance = LANES / 2; distance > 0; distance /= 2)
        value = max(value, __shfl_xor_sync(FULL_MASK, value, (int)distance));
    return value;
}

// Exclusive prefix sum over the threads of the block; `total` is the sum over all of them.
// `warp_sums` is shared memory, one word per warp. The block consists of full warps, at most as
// many as a warp has lanes. All threads must call it; a barrier is needed before `warp_sums` is
// used again.
template <u32 THREADS>
__device__ __forceinline__ u32 block_exclusive_sum(u32 value, u32* warp_sums, u32& total) {
    constexpr u32 WARPS = THREADS / LANES;
    static_assert(THREADS % LANES == 0 && WARPS <= LANES, "whole warps, one warp can hold their sums");
    const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const u32 inclusive = warp_inclusive_sum(value);
    if (lane == LANES - 1) warp_sums[warp] = inclusive;
    __syncthreads();
    const u32 others = lane < WARPS ? warp_sums[lane] : 0;
    const u32 scanned = warp_inclusive_sum(others);
    total = __shfl_sync(FULL_MASK, scanned, (int)WARPS - 1);
    const u32 before = __shfl_sync(FULL_MASK, scanned - others, (int)warp);
    return before + inclusive - value;
}

// Replaces `COUNT` counts in shared memory by their exclusive prefix sums; returns the total.
// Barriers before and after are included.
template <u32 THREADS, u32 COUNT>
__device__ __forceinline__ u32 block_exclusive_sums(u32* counts, u32* warp_sums) {
    static_assert(COUNT % THREADS == 0, "the same number for each thread");
    constexpr u32 EACH = COUNT / THREADS;
    __syncthreads();
    u32* thread_counts = counts + threadIdx.x * EACH;
    u32 sum = 0;
#pragma unroll
    for (u32 i = 0; i < EACH; i++) sum += thread_counts[i];
    u32 total;
    u32 before = block_exclusive_sum<THREADS>(sum, warp_sums, total);
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
        const u32 count = thread_counts[i];
        thread_counts[i] = before;
        before += count;
    }
    __syncthreads();
    return total;
}

// Exclusive prefix sums of several times four counts per thread, stored as 16-byte vectors: if each
// thread has one vector, neighbouring threads have no bank conflicts.
template <u32 THREADS>
__device__ __forceinline__ void block_exclusive_sums_of_vectors(u32* counts, u32 vectors, u32* warp_sums) {
    __syncthreads();
    uint4* thread_counts = reinterpret_cast<uint4*>(counts) + threadIdx.x * vectors;
    u32 sum = 0;
#pragma unroll 1
    for (u32 i = 0; i < vectors; i++) {
        const uint4 four = thread_counts[i];
        sum += four.x + four.y + four.z + four.w;
    }
    u32 total;
    u32 before = block_exclusive_sum<THREADS>(sum, warp_sums, total);
#pragma unroll 1
    for (u32 i = 0; i < vectors; i++) {
        const uint4 four = thread_counts[i];
        const u32 second = before + four.x, third = second + four.y, fourth = third + four.z;
        thread_counts[i] = make_uint4(before, second, third, fourth);
        before = fourth + four.w;
    }
    __syncthreads();
}
