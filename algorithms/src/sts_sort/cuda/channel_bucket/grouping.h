// Groups of a region's buckets that are sorted together: the largest that fit.
#pragma once
#include "block_scan.h"
#include "common.h"

namespace {

constexpr u32 GROUPING_THREADS = 1024;
constexpr u32 BUCKETS_EACH = BUCKETS / GROUPING_THREADS;

struct Grouping {
    u32 starts[BUCKETS + 1];  // offset of each bucket in the region
    u32 is_first[BUCKETS];    // 1 for the first bucket of a group
    u32 numbers[BUCKETS];     // number of groups that start before the bucket
    u16 leaps[BUCKETS + 1];   // bucket that the chain of groups reaches from each one
    u32 warp_sums[LANES];
    u32 first_group;
};

// The bucket after the last one that fits in with a bucket, which itself need
// not fit.
__device__ __forceinline__ u32 end_of_group(const u32* starts, u32 bucket, u32 capacity) {
    u32 low = bucket + 1, high = BUCKETS;
    while (low < high) {
        const u32 middle = (low + high + 1) / 2;
        if (starts[middle] - starts[bucket] <= capacity) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// Flags the first buckets of the groups that follow from a group at bucket 0. Each bucket points to
// the start of the next group; flags spread by pointer doubling, over 1, 2, 4 … groups, and so
// reach all in a number of rounds that is the number of bits of the group count. Barriers before
// and after.
__device__ __forceinline__ void mark_groups(Grouping& shared, u32 capacity) {
#pragma unroll
    for (u32 i = 0; i < BUCKETS_EACH; i++) {
        const u32 bucket = threadIdx.x + i * GROUPING_THREADS;
        shared.leaps[bucket] = (u16)end_of_group(shared.starts, bucket, capacity);
        shared.is_first[bucket] = bucket == 0;
    }
    if (threadIdx.x == 0) shared.leaps[BUCKETS] = (u16)BUCKETS;
    __syncthreads();
    while (shared.leaps[0] < BUCKETS) {
        u32 targets[BUCKETS_EACH], twice[BUCKETS_EACH];
        bool marked[BUCKETS_EACH];
#pragma unroll
        for (u32 i = 0; i < BUCKETS_EACH; i++) {
            const u32 bucket = threadIdx.x + i * GROUPING_THREADS;
            targets[i] = shared.leaps[bucket];
            twice[i] = shared.leaps[targets[i]];
            marked[i] = shared.is_first[bucket];
        }
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < BUCKETS_EACH; i++) {
            // A target has one predecessor in a chain.
            if (marked[i] && targets[i] < BUCKETS) shared.is_first[targets[i]] = 1;
            shared.leaps[threadIdx.x + i * GROUPING_THREADS] = (u16)twice[i];
        }
        __syncthreads();
    }
}

}  // namespace
