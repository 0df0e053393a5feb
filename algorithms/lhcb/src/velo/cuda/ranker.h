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

    // Numbers of threads of each warp, of up to three kinds in fields of a word: of two calls, so that one
    // barrier is enough.
    u32 warp_counts[2][WARPS];

    static constexpr u32 FIELD_BITS = 10, FIELD_MASK = (1u << FIELD_BITS) - 1;
    static_assert(THREADS <= FIELD_MASK, "a field holds the number of all threads");

    // All threads call it, each time with the other `turn`; a barrier is included.
    template <u32 KINDS> __device__ __forceinline__ Ranks<KINDS> ranks(const bool (&flags)[KINDS], u32 turn) {
        static_assert(KINDS * FIELD_BITS <= 32, "a word has a field for each kind");
        u32(&counts)[WARPS] = warp_counts[turn];
        const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
        Ranks<KINDS> ranks;
        u32 of_warp = 0;
#pragma unroll
        for (u32 kind = 0; kind < KINDS; kind++) {
            const lanemask_t mask = __ballot_sync(FULL_MASK, flags[kind]);
            ranks.rank[kind] = (u32)popc(mask & lanemask_lt(lane));
            of_warp |= (u32)popc(mask) << kind * FIELD_BITS;
        }
        if (lane == 0) counts[warp] = of_warp;
        __syncthreads();
        u32 before = 0, total = 0;
#pragma unroll
        for (u32 other = 0; other < WARPS; other++) {
            if (other < warp) before += counts[other];
            total += counts[other];
        }
#pragma unroll
        for (u32 kind = 0; kind < KINDS; kind++) {
            ranks.rank[kind] += before >> kind * FIELD_BITS & FIELD_MASK;
            ranks.total[kind] = total >> kind * FIELD_BITS & FIELD_MASK;
        }
        return ranks;
    }

    // Sum over the threads, in all of them; barriers are included.
    __device__ __forceinline__ u32 sum(u32 value) {
        const u32 of_warp = warp_sum(value);
        __syncthreads();
        if (threadIdx.x % LANES == 0) warp_counts[0][threadIdx.x / LANES] = of_warp;
        __syncthreads();
        u32 sum = 0;
        for (u32 warp = 0; warp < WARPS; warp++) sum += warp_counts[0][warp];
        return sum;
    }
};

}  // namespace velo
