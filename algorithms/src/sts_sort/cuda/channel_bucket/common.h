// Code shared by the steps of channel-bucket. THREADS, SORTED_ITEMS and CAPACITY (threads of a
// block, and digis that it sorts at once) are defined before this file is included: see `block.h`
// and `wide_block.h`. So is KEEPS_ARRIVAL (whether digis with the same key keep the order in which
// they arrived): see `by_all_bits.h` and `by_arrival.h`.
#pragma once
#include "digi.h"
#include "streams.h"

// Parameter types of kernels. A kernel whose parameters are of types without linkage has none
// itself, and NVRTC generates a different name for it each time.
namespace channel_bucket {

// Positions in the array of all digis.
struct Range {
    u32 begin, end;
    __device__ __forceinline__ u32 count() const { return end - begin; }
};

// Some ranges, in any order.
struct RangeList {
    u32 count;
    Range ranges[1];
};

// Consecutive buckets of a region that are sorted together.
struct Group {
    u32 region, first_bucket, buckets;
};

// A tile of a region, with its index among those of the region.
struct Tile {
    u32 region, number;
};

}  // namespace channel_bucket

namespace {

using namespace channel_bucket;

// Buckets of a region at most: all channels.
constexpr u32 BUCKETS = CHANNELS;

// All threads of a block call this.
__device__ __forceinline__ void list(RangeList* ranges, Range range) {
    if (threadIdx.x == 0) ranges->ranges[atomicAdd(&ranges->count, 1u)] = range;
}

// Bits of a digi that determine its bucket.
struct Digit {
    u32 shift, bits;
    __device__ __forceinline__ u32 operator()(u64 digi) const { return (u32)(digi >> shift) & ((1u << bits) - 1); }
};

template <u32 BLOCK>
__device__ __forceinline__ void clear(u32* words, u32 count) {
    for (u32 i = threadIdx.x; i < count; i += BLOCK) words[i] = 0;
}

}  // namespace
