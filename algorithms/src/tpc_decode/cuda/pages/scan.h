// Which of the lanes with a sample a lane is: as published, and as it was before.
#pragma once
#include "block_scan.h"

namespace {

// The place of a lane among those that have something.
struct Rank {
    u32 before, total;
};

// One vote tells it all: the lanes below are counted in it.
struct BallotScan {
    __device__ __forceinline__ static Rank rank(bool has) {
        const lanemask_t vote = __ballot_sync(FULL_MASK, has);
        return {(u32)popc(vote & lanemask_lt(threadIdx.x % LANES)), (u32)popc(vote)};
    }
};

// A prefix sum by shuffles, one for each power of two below the number of lanes.
struct ShuffleScan {
    __device__ __forceinline__ static Rank rank(bool has) {
        const u32 sum = warp_inclusive_sum(has);
        return {sum - has, __shfl_sync(FULL_MASK, sum, (int)LANES - 1)};
    }
};

}  // namespace
