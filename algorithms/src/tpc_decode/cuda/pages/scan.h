// Ranks of the lanes with a sample: as published, and in the earlier version.
#pragma once
#include "block_scan.h"

namespace {

// Rank of a lane among those with a set flag, and their number.
struct Rank {
    u32 before, total;
};

// One vote is enough: the rank is the number of set bits of lower lanes.
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
