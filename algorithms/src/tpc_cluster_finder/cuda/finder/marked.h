// Marked entries of a list, tile by tile: the first half of every compaction algorithm.
#pragma once
#include "job.h"

// Positions of a tile, one for each thread of a block.
constexpr u32 COMPACTED_TILE = 512;

// Targets of compaction: samples to raw peaks, and these to the remaining peaks.
constexpr u32 TO_RAW = 0;
constexpr u32 TO_KEPT = 1;

PORTABLE_INLINE u32 tiles_of(u32 count) { return (count + COMPACTED_TILE - 1) / COMPACTED_TILE; }

// Positions with their marks, and their number.
struct Marked {
    const u32* positions;
    const u8* marks;
    u32 count;

    __device__ __forceinline__ bool is_marked(u32 i) const { return i < count && marks[i] != 0; }
};

// Number of a job's entries to compact.
PORTABLE_INLINE u32 count_of(const Part& part, u32 target) {
    return target == TO_RAW ? part.job().samples : part.counts().raw;
}

PORTABLE_INLINE u32& found(PeakCounts& counts, u32 target) { return target == TO_RAW ? counts.raw : counts.kept; }

// Rank of a thread among the marked threads of its block, and the number of all marks: a vote of
// each warp, and the sums of the previous warps. A barrier is needed before `warp_sums`, a word of
// shared memory for each warp, is used again.
struct Rank {
    u32 before = 0, all = 0;

    __device__ __forceinline__ Rank(bool is_marked, u32* warp_sums) {
        constexpr u32 WARPS = COMPACTED_TILE / LANES;
        const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
        const lanemask_t vote = __ballot_sync(FULL_MASK, is_marked);
        if (lane == 0) warp_sums[warp] = (u32)popc(vote);
        __syncthreads();
#pragma unroll
        for (u32 other = 0; other < WARPS; other++) {
            const u32 sum = warp_sums[other];
            if (other < warp) before += sum;
            all += sum;
        }
        before += (u32)popc(vote & lanemask_lt(lane));
    }
};
