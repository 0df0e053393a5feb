// Shared memory of a block for its side.
#pragma once
#include "../../../sts_sort/cuda/channel_bucket/overfull.h"
#include "../../../sts_sort/cuda/channel_bucket/segment.h"
#include "../formulas/chain.h"
#include "../time_bins/sorting.h"

namespace {

// Digis of a side in order of channel and time, and what becomes of them. Digis are where the sort
// leaves them, and links where it had bins.
struct Chains {
    u64 digis[CAPACITY];  // with the time in the highest bits
    u16 heads[CAPACITY];  // heads of chains; before, offsets of channels
    u16 followers[CAPACITY];
    u8 follows[CAPACITY];
};

// Digis of a side that is sorted in device memory, as it has more than a block sorts.
constexpr u32 MAX_DIGIS = 5 * CAPACITY / 2;

// Links of the digis of such a side.
struct LongChains {
    u16 heads[MAX_DIGIS];
    u16 followers[MAX_DIGIS];
    u8 follows[MAX_DIGIS];
    u32 channels[CHANNEL_OFFSETS];
};

// Maximum clusters of such a side that a block sorts.
constexpr u32 MAX_CLUSTERS = 11 * CAPACITY / 8;

union Shared {
    Sorting sorting;
    Overfull overfull;
    Chains chains;
    LongChains long_chains;
    time_bins::Sorting<THREADS, CAPACITY> order;
    time_bins::Sorting<THREADS, MAX_CLUSTERS, CAPACITY / 2> long_order;
};

static_assert(sizeof(Shared) == sizeof(Sorting), "sorting digis takes the most");
static_assert(BUCKETS * sizeof(BucketBins) <= CAPACITY * sizeof(u16), "channels end before the links");
static_assert(MAX_DIGIS < 1u << 16, "a index is a number of 16 bits");

}  // namespace
