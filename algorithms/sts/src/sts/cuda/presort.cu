// From the stream of a detector to digis by module side, each in the order of the stream:
// count, then scatter, by a table of all 2^17 addresses.
//
// The stream is cut into parts, a warp each. A warp counts the digis of its part for each
// side; sums over parts and sides give the offsets of the digis of each part; then it goes
// through its part once more, a digi a lane. Lanes whose digis are of the same side find
// each other by a vote, so order within a side is kept without a sort, and a warp needs
// no other memory than a row with a count for each side.
#include "scan.h"
#include "formulas/stream.h"

// Arguments of sorting a stream by side.
struct RowSort {
    const u64* digis;
    // Module of each address.
    const u32* modules;
    // A row with a count for each side for each part, zero at the start; then the digis that earlier
    // parts have of the side.
    u32* counts;
    u32* totals;
    const u32* side_offsets;
    u64* to;
    u32 count, part_length, sides, parts;
};

namespace {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;
constexpr u32 SIDES_THREADS = 1024;
constexpr u32 NO_SIDE = ~0u;

// A warp's part of the stream.
struct Part {
    u32 number, begin, end;

    __device__ __forceinline__ explicit Part(const RowSort& all)
        : number(blockIdx.x * WARPS + threadIdx.x / LANES),
          begin(min(all.count, number * all.part_length)),
          end(min(all.count, begin + all.part_length)) {}
};

// Counts the digis of each side in each part. A warp a part.
__device__ __forceinline__ void count_parts(const RowSort& all) {
    const Stream stream = {all.digis, all.modules, all.sides};
    const Part part(all);
    u32* row = all.counts + (u64)part.number * all.sides;
    for (u32 i = part.begin + threadIdx.x % LANES; i < part.end; i += LANES)
        atomicAdd(&row[stream.side_of(all.digis[i])], 1u);
}

// Turns counts into what earlier parts have of the same side, and sums them up. A lane a
// side; the warps of a block share the parts.
__device__ __forceinline__ void sum_parts(const RowSort& all) {
    __shared__ u32 sums[WARPS][LANES];
    const u32 parts = all.parts, sides = all.sides;
    const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const u32 side = blockIdx.x * LANES + lane, share = (parts + WARPS - 1) / WARPS;
    const u32 begin = min(parts, warp * share), end = side < sides ? min(parts, begin + share) : begin;
    u32* column = all.counts + side;
    u32 sum = 0;
#pragma unroll 8
    for (u32 part = begin; part < end; part++) sum += column[(u64)part * sides];
    sums[warp][lane] = sum;
    __syncthreads();
    u32 before = 0;
    for (u32 other = 0; other < warp; other++) before += sums[other][lane];
#pragma unroll 8
    for (u32 part = begin; part < end; part++) {
        const u32 part_count = column[(u64)part * sides];
        column[(u64)part * sides] = before;
        before += part_count;
    }
    if (warp == WARPS - 1 && side < sides) all.totals[side] = before;
}

// Moves digis to their sides, channels counted on the side. A warp a part.
__device__ __forceinline__ void scatter_parts(const RowSort& all) {
    const Stream stream = {all.digis, all.modules, all.sides};
    const Part part(all);
    u32* row = all.counts + (u64)part.number * all.sides;
    const u32 lane = threadIdx.x % LANES;
    for (u32 first = part.begin; first < part.end; first += LANES) {
        const bool is_one = first + lane < part.end;
        const u64 digi = is_one ? all.digis[first + lane] : 0;
        const u32 side = is_one ? stream.side_of(digi) : NO_SIDE;
        const lanemask_t same = __match_any_sync(FULL_MASK, side);
        const u32 rank = popc(same & lanemask_lt(lane));
        u32 offset = 0;
        if (is_one && rank == 0) {
            offset = row[side];
            row[side] = offset + popc(same);
        }
        offset = __shfl_sync(FULL_MASK, offset, ffs(same) - 1);
        if (is_one) all.to[all.side_offsets[side] + offset + rank] = of_side(digi);
        // Another lane may read this row next.
        __syncwarp();
    }
}

}  // namespace

KERNEL_INSTANCE(presort_count, RowSort, (THREADS), count_parts)
KERNEL_INSTANCE(presort_sum_parts, RowSort, (THREADS), sum_parts)
KERNEL_INSTANCE(presort_scatter, RowSort, (THREADS), scatter_parts)

// Writes the offsets of sides, and the end of the last one. One block.
extern "C" __global__ void __launch_bounds__(SIDES_THREADS)
    presort_sum_sides(const u32* totals, u32 sides, u32* side_offsets) {
    __shared__ u32 warp_sums[LANES];
    u32 before = 0;
    for (u32 first = 0; first < sides; first += SIDES_THREADS) {
        const u32 side = first + threadIdx.x;
        u32 total;
        const u32 offset = block_exclusive_sum<SIDES_THREADS>(side < sides ? totals[side] : 0, warp_sums, total);
        if (side < sides) side_offsets[side] = before + offset;
        before += total;
        __syncthreads();
    }
    if (threadIdx.x == 0) side_offsets[sides] = before;
}
KERNEL_EXPORT(presort_sum_sides)
