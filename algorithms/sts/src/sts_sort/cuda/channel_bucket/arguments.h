// Arguments of the kernels that sort by distribution.
#pragma once
#include "portable.h"

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

// Bits of a digi that determine its bucket.
struct Digit {
    u32 shift, bits;
    __device__ __forceinline__ u32 operator()(u64 digi) const { return (u32)(digi >> shift) & ((1u << bits) - 1); }
};

// Sorting segments that fit, in place.
struct SortSegments {
    u64* digis;
    const Range* segments;
    RangeList* crowded;
};

// Sorting groups from one array to another. `bucket_offsets` has BUCKETS + 1 words per region.
struct GroupSort {
    const u64* from;
    u64* to;
    const u32* bucket_offsets;
    const Group* groups;
    const u32* group_count;
    RangeList* oversized;
    RangeList* crowded;
};

// Groups whose buckets are channels.
struct SortGroups {
    GroupSort all;
    const u32* extents;  // two words per region: see `Extent`
};

// Groups whose buckets are determined by bits of the time.
struct SortTimes {
    GroupSort all;
    Digit digit;
};

// Sorting what others found too crowded.
struct SortCrowded {
    const u64* from;
    u64* to;
    const RangeList* crowded;
};

}  // namespace channel_bucket
