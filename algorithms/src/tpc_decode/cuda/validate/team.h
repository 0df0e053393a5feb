// Lanes that go through a page together.
#pragma once
#include "../pages/page.h"

namespace {

// A few: all of them follow the page's chain, and each judges every so many of its links, blocks
// or rows. More would wait for the chain less busily, fewer would take their turns at what is
// judged more often.
constexpr u32 TEAM = 4;

__device__ __forceinline__ u32 rank_in_team() { return threadIdx.x % TEAM; }

// The first of a team's lanes.
__device__ __forceinline__ u32 first_of_team() { return threadIdx.x % LANES / TEAM * TEAM; }

// What follows is called by whole warps, whether or not a team needs it.

// The value of one lane of the team.
__device__ __forceinline__ u32 of_rank(u32 value, u32 rank) {
    return __shfl_sync(FULL_MASK, value, (int)(first_of_team() + rank % TEAM));
}

__device__ __forceinline__ bool any_of_team(bool condition) {
    const lanemask_t team = (((lanemask_t)1 << TEAM) - 1) << first_of_team();
    return (__ballot_sync(FULL_MASK, condition) & team) != 0;
}

__device__ __forceinline__ u32 team_sum(u32 value) {
#pragma unroll
    for (u32 distance = 1; distance < TEAM; distance *= 2) value += __shfl_xor_sync(FULL_MASK, value, (int)distance);
    return value;
}

// The sum over this lane and those of lower ranks.
__device__ __forceinline__ u32 team_inclusive_sum(u32 value) {
#pragma unroll
    for (u32 distance = 1; distance < TEAM; distance *= 2) {
        const u32 below = __shfl_up_sync(FULL_MASK, value, distance);
        if (rank_in_team() >= distance) value += below;
    }
    return value;
}

}  // namespace
