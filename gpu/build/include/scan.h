// Searches, and prefix sums of warps, of blocks and over all blocks.
#pragma once
#include "portable.h"

// Binary searches in sorted data.

// Lower bound: the first index of the range at which `before` is false; `high` if there is none.
// `before` must be true for all smaller indices and false for all larger ones.
template <class Before> __device__ __forceinline__ u32 lower_bound(u32 low, u32 high, Before before) {
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (before(middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Lower bound from 0 on, by a warp: its lanes evaluate LANES indices at a time.
template <class Before> __device__ __forceinline__ u32 warp_lower_bound(u32 count, Before before) {
    const u32 lane = threadIdx.x % LANES;
    u32 low = 0, high = count;
    while (low < high) {
        const u32 step = (high - low + LANES - 1) / LANES, index = low + lane * step;
        const u32 passed = popc(__ballot_sync(FULL_MASK, index < high && before(index)));
        if (passed == 0) return low;
        high = min(high, low + passed * step);
        low += (passed - 1) * step + 1;
    }
    return low;
}

// Warp sums and extremes, block prefix sums.

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

// Single-pass prefix sums by decoupled look-back: a tile publishes its own sum (aggregate) at once,
// and the sum of all tiles up to it (inclusive prefix) once it has read those of earlier tiles.

// Status word of a tile: a sum in the lower half, and its kind in the upper half. 0 means not
// published.
constexpr u64 SUM_OF_TILE = 0x100000000;
constexpr u64 SUM_UP_TO_TILE = 0x200000000;

// Pause between two looks at the status of another block, in ns: short beside the latency of the
// load. Not tuned.
constexpr u32 POLL_NS = 20;

PORTABLE_INLINE u64 wait_for_state(const u64* tile) {
    u64 state = load_relaxed(tile);
    while (state < SUM_OF_TILE) {
        __nanosleep(POLL_NS);
        state = load_relaxed(tile);
    }
    return state;
}

// Returns the exclusive prefix of a tile whose own sum is `sum`. Called by one full warp, which
// reads the status of LANES tiles at a time. Blocks of earlier tiles must have started.
PORTABLE_INLINE u32 sum_before(u64* states, u32 tile, u32 sum) {
    const u32 lane = threadIdx.x % LANES;
    if (lane == 0) store_relaxed(&states[tile], (tile == 0 ? SUM_UP_TO_TILE : SUM_OF_TILE) | sum);
    u32 before = 0;
    for (u32 next = tile; next > 0; next -= min(next, (u32)LANES)) {
        // Lanes read the tiles below `next`, the nearest first.
        const u64 state = lane < next ? wait_for_state(&states[next - 1 - lane]) : SUM_UP_TO_TILE;
        const lanemask_t ends = __ballot_sync(FULL_MASK, state >= SUM_UP_TO_TILE);
        const u32 last = ends == 0 ? LANES - 1 : (u32)ffs(ends) - 1;
        before += __reduce_add_sync(FULL_MASK, lane <= last ? (u32)state : 0u);
        if (ends != 0) break;
    }
    if (lane == 0 && tile > 0) store_relaxed(&states[tile], SUM_UP_TO_TILE | (before + sum));
    return before;
}
