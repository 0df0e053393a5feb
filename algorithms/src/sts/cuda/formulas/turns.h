// Dynamic distribution of indices to warps.
#pragma once
#include "portable.h"

// Takes one index per lane of a warp at a time: some take longer than others.
class Turns {
    u32* next;

  public:
    // `next` is zero at the start.
    __device__ __forceinline__ Turns(u32* next) : next(next) {}

    __device__ __forceinline__ u32 take() const {
        const u32 lane = threadIdx.x % LANES;
        u32 first = 0;
        if (lane == 0) first = atomicAdd(next, (u32)LANES);
        return __shfl_sync(FULL_MASK, first, 0) + lane;
    }
};
