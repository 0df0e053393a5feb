// The headers of a page, with the checks of recobench's reference. As validate/pages.h of decode.
#pragma once
#include "page.h"

namespace decode {

// Bounds of all pages, known before they are read.
struct Bounds {
    u32 version, first_orbit, orbits;
};

enum Verdict : u8 {
    EMPTY,  // only an RDH
    SOUND,
    DAMAGED,
};

// The stream of a page, in a word.
struct Stream {
    u32 word;

    DEVICE static Stream of(u32 sector, u32 endpoint, u32 map, bool ends) {
        return {sector | endpoint << 8 | map << 16 | u32(ends) << 24};
    }

    DEVICE u32 sector() const { return word & 0xff; }
    DEVICE u32 endpoint() const { return word >> 8 & 0xff; }
    DEVICE u32 map() const { return word >> 16 & 0xff; }
    DEVICE bool ends() const { return word >> 24; }
};

constexpr u32 RDH_START = 7 | RDH_BYTES << 8;  // version and size
constexpr u32 ZS_DETECTOR_FIELD = 2;
constexpr u32 HEADER_MAGIC = 0xfd;
constexpr u32 HEADER_BYTES = 16;
constexpr u32 SHORT_HEADER_BYTES = 8;
constexpr u32 TRIGGER_WORD_BYTES = 16;

constexpr u32 FLAG_TRIGGER_WORD = 1;
constexpr u32 FLAG_LONG_SPAN = 2;
constexpr u32 FLAG_CONTINUES = 4;
constexpr u32 KNOWN_FLAGS = 7;

template <Layout LAYOUT> struct Format {
    static constexpr u32 LINK_ID = LAYOUT == ROW ? 15 : LAYOUT == LINK ? 21 : 22;
    static constexpr u32 HEADER = LAYOUT == ROW ? SHORT_HEADER_BYTES : HEADER_BYTES;
    static constexpr u32 SIZE_UNIT = LAYOUT == DENSE_LINK ? 32 : 16;
};

// The fields of the RDH that are checked.
struct Rdh {
    u32 start, sender, used, link, orbit, page_counter, detector_field;

    DEVICE explicit Rdh(const u8* page) {
        const sycl::uint4 first = granule_at(page);
        start = low_half(first[0]);
        sender = high_half(first[0]);
        used = high_half(first[2]);
        link = first[3] & 0xff;
        orbit = word_at(page + 20);
        page_counter = low_half(word_at(page + 36));
        detector_field = word_at(page + 48);
    }
};

// The header of the payload.
struct ZsHeader {
    u32 version, span, cru, time_offset, samples, first_block, blocks, flags, magic;

    // A short header has the first two words only: the others are not used then.
    DEVICE explicit ZsHeader(const u8* bytes) {
        const sycl::uint4 words = granule_at(bytes);
        version = words[0] & 0xff;
        span = words[0] >> 8 & 0xff;
        cru = high_half(words[0]);
        time_offset = low_half(words[1]);
        samples = high_half(words[1]);
        first_block = low_half(words[2]);
        blocks = high_half(words[2]);
        flags = words[3] & 0xff;
        magic = words[3] >> 24;
    }
};

// A page with its record, and the fields that are checked against the previous page.
struct OpenPage {
    PageRecord record = {};
    u32 page_counter = 0;

    // The end of the time bins that the page announces.
    template <Layout LAYOUT> DEVICE u32 end_of_time_bins() const {
        const u32 first = record.first_time_bin;
        if (LAYOUT != ROW) return first + record.span + 1;
        return first + record.span == 0 ? 1 : first + record.span;
    }
};

DEVICE u32 cru_of(Stream stream) { return 10 * stream.sector() + stream.endpoint() / 2; }

template <Layout LAYOUT> DEVICE bool is_rdh_sound(const Rdh& rdh, Stream stream, const Bounds& bounds) {
    using Own = Format<LAYOUT>;
    const u32 sender = cru_of(stream) << 7 | (stream.endpoint() & 1) << 6 | Own::LINK_ID;
    return rdh.detector_field == ZS_DETECTOR_FIELD && rdh.sender == sender && rdh.link == Own::LINK_ID &&
           rdh.orbit - bounds.first_orbit < bounds.orbits && rdh.used >= RDH_BYTES + Own::HEADER &&
           rdh.used % Own::SIZE_UNIT == 0;
}

template <Layout LAYOUT> DEVICE bool is_header_sound(const ZsHeader& header, Stream stream, const Bounds& bounds) {
    return header.version == bounds.version && (LAYOUT == ROW || header.magic == HEADER_MAGIC) &&
           header.cru == cru_of(stream) && header.time_offset < BC_PER_ORBIT &&
           (LAYOUT != DENSE_LINK || (header.flags & ~KNOWN_FLAGS) == 0);
}

template <Layout LAYOUT> DEVICE u32 start_of_payload(const ZsHeader& header) {
    if (LAYOUT == ROW) return RDH_BYTES + SHORT_HEADER_BYTES;
    if (LAYOUT == LINK) return RDH_BYTES + HEADER_BYTES + header.first_block * GRANULE;
    return header.first_block;
}

template <Layout LAYOUT> DEVICE u32 end_of_payload(const ZsHeader& header, u32 used) {
    if (LAYOUT != DENSE_LINK) return used;
    return used - HEADER_BYTES - (header.flags & FLAG_TRIGGER_WORD ? TRIGGER_WORD_BYTES : 0);
}

template <Layout LAYOUT> DEVICE bool is_extent_sound(const OpenPage& open, u32 start, u32 end, u32 used) {
    const PageRecord& page = open.record;
    const u32 last_of_orbit = (page.orbit_start + BC_PER_ORBIT - 1) / BC_PER_TIME_BIN;
    return start <= end && start >= RDH_BYTES && open.end_of_time_bins<LAYOUT>() <= last_of_orbit + 1 &&
           !(LAYOUT == ROW && page.span == 0 && page.samples > 0) &&
           !(page.continues && (page.blocks == 0 || used != PAGE_BYTES));
}

// Reads the headers of one page.
template <Layout LAYOUT>
DEVICE Verdict open_page(const u8* page, Stream stream, const Bounds& bounds, OpenPage& open) {
    const Rdh rdh(page);
    if (rdh.start != RDH_START || rdh.used < RDH_BYTES || rdh.used > PAGE_BYTES) return DAMAGED;
    if (rdh.used == RDH_BYTES) return EMPTY;
    if (!is_rdh_sound<LAYOUT>(rdh, stream, bounds)) return DAMAGED;
    const ZsHeader header(page + (LAYOUT == DENSE_LINK ? rdh.used - HEADER_BYTES : RDH_BYTES));
    if (!is_header_sound<LAYOUT>(header, stream, bounds)) return DAMAGED;
    const u32 start = start_of_payload<LAYOUT>(header);
    const u32 end = end_of_payload<LAYOUT>(header, rdh.used);
    const bool long_span = LAYOUT == DENSE_LINK && header.flags & FLAG_LONG_SPAN;
    PageRecord& record = open.record;
    record.orbit_start = (rdh.orbit - bounds.first_orbit) * BC_PER_ORBIT;
    record.first_time_bin = (record.orbit_start + header.time_offset) / BC_PER_TIME_BIN;
    record.time_offset = u16(header.time_offset);
    record.span = u16(header.span + (long_span ? 256 : 0));
    record.samples = u16(header.samples);
    record.blocks = u16(LAYOUT == ROW ? 0 : header.blocks);
    record.start = u16(start);
    record.end = u16(end);
    record.continuation = 0;
    record.endpoint = u8(stream.endpoint());
    record.sector = u8(stream.sector());
    record.map = u8(stream.map());
    record.version = u8(bounds.version);
    record.continues = LAYOUT == DENSE_LINK && header.flags & FLAG_CONTINUES;
    open.page_counter = rdh.page_counter;
    return is_extent_sound<LAYOUT>(open, start, end, rdh.used) ? SOUND : DAMAGED;
}

// Reads the headers of a page, and those of the next one if the last block continues there.
template <Layout LAYOUT>
DEVICE Verdict open_in_stream(const u8* page, Stream stream, const Bounds& bounds, OpenPage& open) {
    const Verdict verdict = open_page<LAYOUT>(page, stream, bounds, open);
    if (LAYOUT != DENSE_LINK || verdict != SOUND || !open.record.continues) return verdict;
    OpenPage next;
    if (stream.ends() || open_page<LAYOUT>(page + PAGE_BYTES, stream, bounds, next) != SOUND) return DAMAGED;
    const bool follows = next.page_counter == ((open.page_counter + 1) & 0xffff) &&
                         next.record.orbit_start == open.record.orbit_start;
    open.record.continuation = u16(next.record.start - RDH_BYTES);
    return follows ? SOUND : DAMAGED;
}

// First time bin of a page, and the number of its time bins above that of its samples, which is 0 if it
// is rejected.
struct alignas(8) PageExtent {
    u32 first_time_bin, time_bins_and_samples;
};

}  // namespace decode
