// Pages in the format of kernels.
#pragma once
#include "portable.h"

namespace tpc_decode {

constexpr u32 ENDPOINTS = 20;

// The detector's geometry: a word for each endpoint, then the pads of each row. Prepared by the
// launcher.
struct Geometry {
    const u32* words;

    // The rows of an endpoint as the row formats have them.
    __device__ __forceinline__ u32 first_row(u32 endpoint) const { return words[endpoint] & 0xff; }
    __device__ __forceinline__ u32 rows(u32 endpoint) const { return words[endpoint] >> 8 & 0xff; }
    // Its cards in the partition as the link formats have them.
    __device__ __forceinline__ u32 first_fec(u32 endpoint) const { return words[endpoint] >> 16 & 0xff; }
    __device__ __forceinline__ u32 end_of_fecs(u32 endpoint) const { return words[endpoint] >> 24; }
    __device__ __forceinline__ u32 pads_in_row(u32 row) const { return words[ENDPOINTS + row]; }
};

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

// Data of a channel's pad for charges.
struct __align__(8) ChargeCell {
    float gain;
    u32 column;
};

// Arguments of decoding the pages of a fragment. Lists have an entry for each sample.
struct Decoding {
    const u8* pages;
    const PageRecord* records;
    // Block offsets, `stride` entries a page.
    const Piece* index;
    Geometry geometry;
    // Pads of the channels of all links, and by the order of channels of each endpoint.
    const u16* pads;
    const u16* pad_cells;
    const ChargeCell* charge_cells;
    // Gains of all sectors, by column.
    const float* gains;
    const Job* jobs;
    // The first job of each fragment.
    const u32* job_offsets;
    const Fragment* fragments;
    u64* digits;
    u32* positions;
    u16* charges;
    u16* maps;
    u32 stride, fragment;

    // The jobs of the fragment.
    __device__ __forceinline__ u32 first_job() const { return job_offsets[fragment]; }
    __device__ __forceinline__ u32 end_of_jobs() const { return job_offsets[fragment + 1]; }
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

// The head of a link in a dense block: card, second-level mask, and mask bytes.

// Puts the lowest bytes of a word at the set bits of a nibble, and zeros elsewhere.
__device__ __forceinline__ u32 spread_bytes(u32 bytes, u32 nibble) {
    // A bit for each set bit of the nibble; then, for each, the number of set bits before.
    const u32 pairs = (nibble | nibble << 6) & 0x303, there = (pairs | pairs << 3) & 0x1111;
    const u32 before = there * 0x1110;
    // Bytes from 4 on are those of the second word, which is 0.
    return __byte_perm(bytes, 0, before | (0x4444 & ~(there << 2)));
}

// The start of the head.
struct LinkHead {
    u32 fec;
    u32 level;   // a bit for each byte of the mask that is present
    u32 before;  // bytes before the mask

    __device__ __forceinline__ LinkHead(u32 first, u32 second) {
        const bool flat = (first & 0x20) != 0;
        fec = first & 0x1f;
        level = flat ? 0x3ff : (first >> 6) << 8 | second;
        before = flat ? 1 : 2;
    }

    __device__ __forceinline__ u32 mask_bytes() const { return (u32)__popc(level); }
    __device__ __forceinline__ u32 bytes() const { return before + mask_bytes(); }
};

// A complete head: it has twelve bytes at most.
struct WholeLinkHead : LinkHead {
    u32 words[3];  // the head without the bytes before the mask

    __device__ __forceinline__ explicit WholeLinkHead(const u32 (&from)[3])
        : LinkHead(from[0] & 0xff, from[0] >> 8 & 0xff),
          words{from[0] & (before == 1 ? ~0xffu : ~0xffffu), from[1], from[2]} {}

    __device__ __forceinline__ u32 channels() const {
        const int bits = 8 * (int)bytes();
        return bits_among(words[0], bits) + bits_among(words[1], bits - 32) + bits_among(words[2], bits - 64);
    }

  private:
    // Number of set bits among the `count` lowest ones; none if negative, all if more than a word
    // has.
    __device__ __forceinline__ static u32 bits_among(u32 word, int count) {
        // Moves the lowest bits to the highest ones; shifts by more than 32 are clamped to 32.
        return (u32)__popc(__funnelshift_rc(0, word, (u32)max(count, 0)));
    }
};

// Three words from any byte offset on. Reads four aligned words.
__device__ __forceinline__ void three_words(const u32* aligned, u32 position, u32 (&words)[3]) {
    // Shifts are modulo 32.
#pragma unroll
    for (u32 i = 0; i < 3; i++) words[i] = __funnelshift_r(aligned[i], aligned[i + 1], position * 8);
}

}  // namespace
