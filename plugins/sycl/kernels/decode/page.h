// Pages in the format of kernels: their records, the detector's geometry, and heads of blocks and
// links. As pages/page.h of the native kernels.
#pragma once
#include "../device.h"

namespace decode {

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

// The rows and cards of an endpoint.
struct alignas(16) Endpoint {
    u32 first_row, rows, first_fec, fecs;
};

// The detector's geometry: its endpoints, and the pads of each row.
struct Geometry {
    const Endpoint* endpoints;
    const u32* row_pads;

    DEVICE u32 first_row(u32 endpoint) const { return endpoints[endpoint].first_row; }
    DEVICE u32 rows(u32 endpoint) const { return endpoints[endpoint].rows; }
    DEVICE u32 first_fec(u32 endpoint) const { return endpoints[endpoint].first_fec; }
    DEVICE u32 end_of_fecs(u32 endpoint) const { return first_fec(endpoint) + endpoints[endpoint].fecs; }
    DEVICE u32 pads_in_row(u32 row) const { return row_pads[row]; }
};

// Record of a valid page: made by the validation, used by all decoders.
struct alignas(16) PageRecord {
    u32 orbit_start;  // bunch crossings from the start of the time frame to the page's orbit
    u32 first_time_bin;
    u16 time_offset;  // bunch crossings from the orbit to the first time bin
    u16 span;         // row pages: time bins; others: the last one minus the first
    u16 samples;
    u16 blocks;  // of link and dense link pages
    u16 unused;
    u16 start, end;    // of the payload
    u16 continuation;  // bytes of the last block that are in the next page
    u8 endpoint, sector;
    u8 map;  // index of the sector's map of charges
    u8 version;
    u8 continues;  // true if the last block continues in the next page
};

// A page whose samples are needed, and their destination.
struct alignas(8) Job {
    u32 page, slot;
};

// A fragment of the time frame, and the maps of charges that it is decoded to.
struct alignas(16) Fragment {
    u32 first_time_bin, time_bins;
    u32 entries;  // of a sector's map
    float scale;  // charges of a map for one ADC value
};

DEVICE const u8* page_at(const u8* pages, u32 page) { return pages + u64(page) * PAGE_BYTES; }

DEVICE sycl::uint4 granule_at(const u8* bytes) { return *reinterpret_cast<const sycl::uint4*>(bytes); }

DEVICE u32 word_at(const u8* bytes) { return *reinterpret_cast<const u32*>(bytes); }

DEVICE u32 low_half(u32 word) { return word & 0xffff; }
DEVICE u32 high_half(u32 word) { return word >> 16; }

// Mask of the `count` lowest bits, fewer than a word has.
DEVICE u32 low_bits(u32 count) { return (1u << count) - 1; }

// Loads a record with two loads.
DEVICE PageRecord record_at(const PageRecord* records, u32 page) {
    const u8* bytes = reinterpret_cast<const u8*>(records + page);
    const sycl::uint4 halves[2] = {granule_at(bytes), granule_at(bytes + GRANULE)};
    PageRecord record;
    static_assert(sizeof(record) == sizeof(halves), "two granules");
    __builtin_memcpy(&record, halves, sizeof(record));
    return record;
}

// Row 10 and, if it is marked so, a block of version 5 have short samples.
DEVICE u32 bits_of_row_sample(const PageRecord& page) { return page.version == 1 ? 10 : 12; }

DEVICE u32 bytes_of_samples(u32 samples, u32 bits) { return (samples * bits + 7) / 8; }

// The head of a dense block.
struct BlockHead {
    u32 links, crossing, sample_bits;

    DEVICE BlockHead(u32 word, u32 version) {
        links = word & 0xf;
        crossing = low_half(word) >> 4;
        sample_bits = 12;
        if (version != 5) return;
        // The lowest bit of the crossing marks short samples; it and the next one are cleared.
        if (crossing & 1) sample_bits = 10;
        crossing &= 0xffc;
    }
};

// The start of the head of a link in a dense block: card, second-level mask, then mask bytes.
struct LinkHead {
    u32 fec;
    u32 level;   // a bit for each byte of the mask that is present
    u32 before;  // bytes before the mask

    DEVICE LinkHead(u32 first, u32 second) {
        const bool flat = (first & 0x20) != 0;
        fec = first & 0x1f;
        level = flat ? 0x3ff : (first >> 6) << 8 | second;
        before = flat ? 1 : 2;
    }

    DEVICE u32 mask_bytes() const { return u32(sycl::popcount(level)); }
    DEVICE u32 bytes() const { return before + mask_bytes(); }
};

// A complete head: it has twelve bytes at most.
struct WholeLinkHead : LinkHead {
    u32 words[3];  // the head without the bytes before the mask

    DEVICE explicit WholeLinkHead(const u32 (&from)[3])
        : LinkHead(from[0] & 0xff, from[0] >> 8 & 0xff),
          words{from[0] & (before == 1 ? ~0xffu : ~0xffffu), from[1], from[2]} {}

    DEVICE u32 channels() const {
        const i32 bits = 8 * i32(bytes());
        return bits_among(words[0], bits) + bits_among(words[1], bits - 32) + bits_among(words[2], bits - 64);
    }

  private:
    // Number of set bits among the `count` lowest ones; none if negative, all if more than a word
    // has.
    DEVICE static u32 bits_among(u32 word, i32 count) {
        const u32 shift = u32(min_of(max_of(count, 0), 32));
        // Moves the lowest bits to the highest ones. SYCL has no funnel shift.
        return u32(sycl::popcount(u32((u64(word) << 32) >> shift)));
    }
};

// Three words from any byte offset on. Reads four aligned words.
DEVICE void three_words(const u32* aligned, u32 position, u32 (&words)[3]) {
#pragma unroll
    for (u32 i = 0; i < 3; i++) {
        const u64 both = u64(aligned[i + 1]) << 32 | aligned[i];
        words[i] = u32(both >> (position % 4 * 8));
    }
}

}  // namespace decode
