// Pages in the format of kernels.
#pragma once
#include "portable.h"

namespace tpc_decode {

// Record of a valid page: made by validate.cu, read by all decoders.
struct __align__(16) PageRecord {
    u32 orbit_start;     // bunch crossings from the start of the time frame to the page's orbit
    u32 first_time_bin;
    u16 time_offset;     // bunch crossings from the orbit to the first time bin
    u16 span;            // row pages: time bins; others: the last one minus the first
    u16 samples;
    u16 blocks;          // of link and dense link pages
    u16 pieces;          // entries of the page in the index
    u16 start, end;      // of the payload
    u16 continuation;    // bytes of the last block that are in the next page
    u8 endpoint, sector;
    u8 map;              // index of the sector's map of charges
    u8 version;
    u8 continues;        // true if the last block continues in the next page
};

// A page whose samples are needed, and their destination.
struct __align__(8) Job {
    u32 page, slot;
};

// Location of a page's block: see validate.cu.
struct __align__(4) Piece {
    u16 position;      // in the payload with the continuation appended
    u16 first_sample;  // number of samples of the page before this block
};

// A fragment of the time frame, and the maps of charges that it is decoded to.
struct Fragment {
    u32 first_time_bin, time_bins;
    u32 entries;      // of a sector's map
    float scale;      // charges of a map for one ADC value
};

}  // namespace tpc_decode

namespace {

using namespace tpc_decode;

constexpr u32 PAGE_BYTES = 8192;
constexpr u32 RDH_BYTES = 64;
// Start and end of headers and payloads are multiples of this; it is the width of loads.
constexpr u32 GRANULE = 16;
constexpr u32 BC_PER_ORBIT = 3564;
constexpr u32 BC_PER_TIME_BIN = 8;

constexpr u32 CHANNELS_IN_LINK = 80;
constexpr u32 MAX_FECS = 20;          // of a partition
constexpr u32 MAX_FECS_IN_HALF = 10;  // of an endpoint
constexpr u32 MAX_ROWS_IN_HALF = 9;

enum Layout : u32 { ROW, LINK, DENSE_LINK };

__device__ __forceinline__ const u8* page_at(const u8* pages, u32 page) { return pages + (u64)page * PAGE_BYTES; }

__device__ __forceinline__ uint4 granule_at(const u8* bytes) { return __ldcg(reinterpret_cast<const uint4*>(bytes)); }

__device__ __forceinline__ u32 word_at(const u8* bytes) { return *reinterpret_cast<const u32*>(bytes); }

__device__ __forceinline__ u32 low_half(u32 word) { return word & 0xffff; }
__device__ __forceinline__ u32 high_half(u32 word) { return word >> 16; }

// Masks of the `count` lowest bits; none if negative, all if more than a word has.
__device__ __forceinline__ u32 low_bits(int count) {
    // The funnel shift clamps its count: shifts by 32 and more result in 0.
    return __funnelshift_rc(~0u, 0, (u32)max(32 - count, 0));
}

// Loads a record with two loads.
__device__ __forceinline__ PageRecord record_at(const PageRecord* records, u32 page) {
    const u8* bytes = reinterpret_cast<const u8*>(records + page);
    const uint4 halves[2] = {granule_at(bytes), granule_at(bytes + GRANULE)};
    PageRecord record;
    static_assert(sizeof(record) == sizeof(halves), "two granules");
    memcpy(&record, halves, sizeof(record));
    return record;
}

// Row 10 and, if it is marked so, a block of version 5 have short samples.
__device__ __forceinline__ u32 bits_of_row_sample(const PageRecord& page) { return page.version == 1 ? 10 : 12; }

// The head of a dense block.
struct BlockHead {
    u32 links, crossing, sample_bits;

    __device__ __forceinline__ BlockHead(u32 word, u32 version) {
        links = word & 0xf;
        crossing = low_half(word) >> 4;
        sample_bits = 12;
        if (version != 5) return;
        // The lowest bit of the crossing marks short samples; it and the next one are cleared.
        if (crossing & 1) sample_bits = 10;
        crossing &= 0xffc;
    }
};

__device__ __forceinline__ u32 bytes_of_samples(u32 samples, u32 bits) { return (samples * bits + 7) / 8; }

}  // namespace
