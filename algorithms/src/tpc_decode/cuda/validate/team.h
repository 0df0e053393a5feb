// Lanes that walk through a page together.
#pragma once
#include "../pages/page.h"

namespace {

// Lanes of a team: all of them follow the page's chain, and each checks every TEAM-th of its links,
// blocks or rows. With more, fewer chains would be in flight; with fewer, each lane would have more
// to check.
constexpr u32 TEAM = 4;

template <u32 SIZE>
struct Team {
    static constexpr u32 LANES_EACH = SIZE;
    // Teams of a warp.
    static constexpr u32 COUNT = LANES / SIZE;

    __device__ __forceinline__ static u32 rank() { return threadIdx.x % SIZE; }

    // The first of a team's lanes.
    __device__ __forceinline__ static u32 first() { return threadIdx.x % LANES / SIZE * SIZE; }

    // The index of a team in its warp.
    __device__ __forceinline__ static u32 number() { return threadIdx.x % LANES / SIZE; }

    // The following functions are called by whole warps, even if a team doesn't need them.

    // The value of one lane of the team, by its rank.
    __device__ __forceinline__ static u32 of_rank(u32 value, u32 rank) {
        return __shfl_sync(FULL_MASK, value, (int)(first() + rank % SIZE));
    }

    __device__ __forceinline__ static bool any(bool condition) {
        const lanemask_t team = (((lanemask_t)1 << SIZE) - 1) << first();
        return (__ballot_sync(FULL_MASK, condition) & team) != 0;
    }

    __device__ __forceinline__ static u32 sum(u32 value) {
#pragma unroll
        for (u32 distance = 1; distance < SIZE; distance *= 2)
            value += __shfl_xor_sync(FULL_MASK, value, (int)distance);
        return value;
    }

    // The sum over this lane and those of lower ranks.
    __device__ __forceinline__ static u32 inclusive_sum(u32 value) {
#pragma unroll
        for (u32 distance = 1; distance < SIZE; distance *= 2) {
            const u32 below = __shfl_up_sync(FULL_MASK, value, distance);
            if (rank() >= distance) value += below;
        }
        return value;
    }
};

}  // namespace
