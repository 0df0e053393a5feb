// Compacts lists as published, preserving their order: a sum for each tile, then sums of sums level
// by level until one block has all of them, then back down, and finally positions are stored at
// their offsets.
//
// A level has a word for each tile of the previous level; levels are stored one after the other.
//
// Static shared memory: sums of warps, at most 128 bytes.
#include "finder/job.h"
#include "scan.h"

// Marked entries of a list, tile by tile: the first half of every compaction algorithm.

// Positions of a tile, one for each thread of a block.
constexpr u32 COMPACTED_TILE = 512;

// Targets of compaction: samples to raw peaks, and these to the remaining peaks.
enum ScanTarget : u32 { TO_RAW, TO_KEPT };

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

// A step of a compaction.
struct Scan {
    Finding all;
    const u32* positions;
    u32* compacted;
    // `sums_of_job` words for each job: its levels.
    u32* sums;
    u32 sums_of_job;
    u32 target;
    // The level, its first word, and the first one of the next level.
    u32 level, begin, next;
};

namespace {

constexpr u32 THREADS = COMPACTED_TILE;

// Start of a job's levels among all sums.
PORTABLE_INLINE u32* sums_of(const Scan& scan, const Part& part) {
    return scan.sums + (u64)part.slot * scan.sums_of_job;
}

// The words of a level: level 0 has one for each tile.
PORTABLE_INLINE u32 words_in(u32 level, u32 count) {
    for (u32 i = 0; i <= level; i++) count = tiles_of(count);
    return count;
}

// Counts the marks of each tile.
PORTABLE_INLINE void start(const Scan& scan) {
    const Part part(scan.all);
    const Job job = part.job();
    const u32 count = count_of(part, scan.target);
    const Marked marked = {nullptr, job.list(scan.all.marks), count};
    for (u32 tile = part.block; tile < tiles_of(count); tile += scan.all.blocks_of_job) {
        const u32 sum = (u32)__syncthreads_count(marked.is_marked(tile * THREADS + threadIdx.x));
        if (threadIdx.x == 0) sums_of(scan, part)[tile] = sum;
    }
}

// Replaces the words of a level by their exclusive scan within each tile; the sum of each tile goes
// to the next level.
PORTABLE_INLINE void up(const Scan& scan) {
    __shared__ u32 warp_sums[LANES];
    const Part part(scan.all);
    const u32 words = words_in(scan.level, count_of(part, scan.target));
    u32* all = sums_of(scan, part);
    for (u32 tile = part.block; tile < tiles_of(words); tile += scan.all.blocks_of_job) {
        const u32 i = tile * THREADS + threadIdx.x;
        u32 total;
        const u32 before = block_exclusive_sum<THREADS>(i < words ? all[scan.begin + i] : 0, warp_sums, total);
        if (i < words) all[scan.begin + i] = before;
        if (threadIdx.x == 0) all[scan.next + tile] = total;
        __syncthreads();
    }
}

// Scans the last level, which is one tile: its sum is that of all marks.
PORTABLE_INLINE void top(const Scan& scan) {
    __shared__ u32 warp_sums[LANES];
    const Part part(scan.all);
    const u32 words = words_in(scan.level, count_of(part, scan.target));
    u32* all = sums_of(scan, part) + scan.begin;
    u32 total;
    const u32 before = block_exclusive_sum<THREADS>(threadIdx.x < words ? all[threadIdx.x] : 0, warp_sums, total);
    if (threadIdx.x < words) all[threadIdx.x] = before;
    if (threadIdx.x == 0) found(part.counts(), scan.target) = total;
}

// Adds the words of the next level, which are scanned already.
PORTABLE_INLINE void down(const Scan& scan) {
    const Part part(scan.all);
    const u32 words = words_in(scan.level, count_of(part, scan.target));
    u32* all = sums_of(scan, part);
    for (u32 tile = part.block; tile < tiles_of(words); tile += scan.all.blocks_of_job) {
        const u32 i = tile * THREADS + threadIdx.x;
        if (i < words) all[scan.begin + i] += all[scan.next + tile];
    }
}

// Stores positions with a mark at their offsets.
PORTABLE_INLINE void write(const Scan& scan) {
    __shared__ u32 warp_sums[THREADS / LANES];
    const Part part(scan.all);
    const Job job = part.job();
    const u32 count = count_of(part, scan.target);
    const Marked marked = {job.list(scan.positions), job.list(scan.all.marks), count};
    for (u32 tile = part.block; tile < tiles_of(count); tile += scan.all.blocks_of_job) {
        const u32 i = tile * THREADS + threadIdx.x;
        const bool is_marked = marked.is_marked(i);
        const Rank rank(is_marked, warp_sums);
        const u32 first = sums_of(scan, part)[tile];
        if (is_marked) job.list(scan.compacted)[first + rank.before] = marked.positions[i];
        __syncthreads();
    }
}

}  // namespace

KERNEL_INSTANCE(scan_start, Scan, (THREADS), start)
KERNEL_INSTANCE(scan_up, Scan, (THREADS), up)
KERNEL_INSTANCE(scan_top, Scan, (THREADS), top)
KERNEL_INSTANCE(scan_down, Scan, (THREADS), down)
KERNEL_INSTANCE(compact, Scan, (THREADS), write)
