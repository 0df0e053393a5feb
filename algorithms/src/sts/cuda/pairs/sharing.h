// The pairs of a group of fronts, shared by the lanes of a warp; there are no barriers.
//
// Pairs are indexed front by front. A bit for each is set if it is the first of its front, so a
// lane finds the front of its pair by counting bits.
#pragma once
#include "block_scan.h"
#include "module.h"

namespace {

constexpr u32 BITS = 32;
// Pairs that are marked at a time: a word for each lane.
constexpr u32 STRETCH = BITS * LANES;

// Data of a front with partners that decide which of them may cross it.
struct alignas(16) Front {
    float edge;
    i32 widths;
    u32 number;   // index in order of time
    u32 to_back;  // added to the index of a pair to get that of its back

    __device__ __forceinline__ Line line() const { return {edge, widths}; }
};

// Fronts shared by a warp.
struct SharedFronts {
    Front fronts[LANES];
    u32 firsts[LANES];  // bits of a stretch: set for the first pair of each front
    u32 before[LANES];  // first pairs before those of each word

    // The front of a pair, by its number in the stretch.
    __device__ __forceinline__ const Front& front_of(u32 pair) const {
        const u32 firsts_to_pair = firsts[pair / BITS] & ((2u << pair % BITS) - 1);
        return fronts[before[pair / BITS] + __popc(firsts_to_pair) - 1];
    }
};

// A lane's front, and its partners: none if it has no front.
struct LaneFront {
    Partners partners = {};
    Line line = {};

    __device__ __forceinline__ LaneFront(const Line* fronts, const Partners* all, u32 number, u32 end) {
        if (number >= end) return;
        partners = all[number];
        line = fronts[number];
    }
};

// The pairs of a warp's fronts, one front a lane. All lanes take part in what it does.
class SharedPairs {
    SharedFronts& shared;
    bool has_pairs;  // of the lane's front
    u32 first;       // index of its first pair
    u32 all;
    u32 marked = 0;  // fronts whose first pair was in an earlier stretch

  public:
    // Fronts that have partners come to lie side by side.
    __device__ __forceinline__ SharedPairs(const LaneFront& lane_front, u32 number, SharedFronts& shared)
        : shared(shared) {
        has_pairs = lane_front.partners.count > 0;
        const u32 inclusive = warp_inclusive_sum(lane_front.partners.count);
        first = inclusive - lane_front.partners.count;
        all = __shfl_sync(FULL_MASK, inclusive, LANES - 1);
        const u32 index = popc(__ballot_sync(FULL_MASK, has_pairs) & lanemask_lt(threadIdx.x % LANES));
        if (has_pairs)
            shared.fronts[index] = {lane_front.line.edge, lane_front.line.widths, number,
                                    lane_front.partners.first - first};
    }

    __device__ __forceinline__ u32 count() const { return all; }

    // Flags the first pair of each front in the stretch that starts at `begin`.
    __device__ __forceinline__ void mark(u32 begin) {
        const u32 lane = threadIdx.x % LANES;
        shared.firsts[lane] = 0;
        __syncwarp();
        // Below 0 it is a large number.
        const u32 pair = first - begin;
        if (has_pairs && pair < STRETCH) atomicOr(&shared.firsts[pair / BITS], 1u << pair % BITS);
        __syncwarp();
        const u32 lane_count = __popc(shared.firsts[lane]), inclusive = warp_inclusive_sum(lane_count);
        shared.before[lane] = marked + inclusive - lane_count;
        marked += __shfl_sync(FULL_MASK, inclusive, LANES - 1);
        __syncwarp();
    }
};

}  // namespace
