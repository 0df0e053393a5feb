// Ranks of the threads of a block that have flags set.
#pragma once
#include "scan.h"
// nvcc: -fmad=false

namespace velo {

// Indices of the threads with each of some flags, in order of threads, and their numbers.
template <u32 KINDS> struct Ranks {
    u32 rank[KINDS], total[KINDS];
};

// Ranks of the threads of a block, in its shared memory.
template <u32 THREADS> struct Ranker {
    static constexpr u32 WARPS = THREADS / LANES;

    // Numbers of threads of each warp: of two calls, so that one barrier is enough.
    u32 warp_counts[2][3][WARPS];

    // All threads call it, each time with the other `turn`; a barrier is included.
    template <u32 KINDS> __device__ __forceinline__ Ranks<KINDS> ranks(const bool (&flags)[KINDS], u32 turn) {
        u32(&counts)[3][WARPS] = warp_counts[turn];
        const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
        Ranks<KINDS> ranks;
#pragma unroll
        for (u32 kind = 0; kind < KINDS; kind++) {
            const lanemask_t mask = __ballot_sync(FULL_MASK, flags[kind]);
            ranks.rank[kind] = (u32)popc(mask & lanemask_lt(lane));
            if (lane == 0) counts[kind][warp] = (u32)popc(mask);
        }
        __syncthreads();
#pragma unroll
        for (u32 kind = 0; kind < KINDS; kind++) {
            ranks.total[kind] = 0;
#pragma unroll
            for (u32 other = 0; other < WARPS; other++) {
                const u32 count = counts[kind][other];
                if (other < warp) ranks.rank[kind] += count;
                ranks.total[kind] += count;
            }
        }
        return ranks;
    }

    // Sum over the threads, in all of them; barriers are included.
    __device__ __forceinline__ u32 sum(u32 value) {
        const u32 of_warp = warp_sum(value);
        __syncthreads();
        if (threadIdx.x % LANES == 0) warp_counts[0][0][threadIdx.x / LANES] = of_warp;
        __syncthreads();
        u32 sum = 0;
        for (u32 warp = 0; warp < WARPS; warp++) sum += warp_counts[0][0][warp];
        return sum;
    }
};

}  // namespace velo
