// What the steps of channel-bucket have in common. How many threads a block has and how many digis it
// sorts at once (THREADS, SORTED_ITEMS, CAPACITY) is said before: see `block.h` and `wide_block.h`. So is whether
// digis with the same key keep the order in which they arrived (KEEPS_ARRIVAL): see `by_all_bits.h` and
// `by_arrival.h`.
#pragma once
#include "digi.h"
#include "streams.h"

// What kernels are given. A kernel whose parameters are of types without linkage has
// none itself, and NVRTC makes up a name for it that is another each time.
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

// Which tile of a region, counted from its first one.
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

// Which bits of a digi tell its bucket.
struct Digit {
    u32 shift, bits;
    __device__ __forceinline__ u32 operator()(u64 digi) const { return (u32)(digi >> shift) & ((1u << bits) - 1); }
};

template <u32 BLOCK>
__device__ __forceinline__ void clear(u32* words, u32 count) {
    for (u32 i = threadIdx.x; i < count; i += BLOCK) words[i] = 0;
}

}  // namespace
