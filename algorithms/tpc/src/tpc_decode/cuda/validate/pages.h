// The headers of a page, with the same checks as `header.rs`.
#pragma once
#include "../pages/page.h"
#include "window.h"

namespace tpc_decode {

// Bounds of all pages, known before they are read: `FrameBounds`.
struct Bounds {
    u32 version, first_orbit, orbits;
};

// Arguments of validating pages.
struct Validation {
    const u8* bytes;
    // Word of the stream of each page.
    const u32* streams;
    Geometry geometry;
    u32 count;
    Bounds bounds;
    PageRecord* records;
    // First time bin of each page, and the number of its time bins above that of its samples, which
    // is 0 if it is rejected.
    uint2* extents;
    u8* verdicts;
    Piece* index;
    u32 stride;  // entries of the index for each page, or 0
};

}  // namespace tpc_decode

namespace {

enum Verdict : u8 {
    EMPTY,  // only an RDH
    SOUND,
    DAMAGED,
};

// The stream of a page, in a word prepared by the launcher.
struct Stream {
    u32 word;

    __device__ __forceinline__ u32 sector() const { return word & 0xff; }
    __device__ __forceinline__ u32 endpoint() const { return word >> 8 & 0xff; }
    __device__ __forceinline__ u32 map() const { return word >> 16 & 0xff; }
    __device__ __forceinline__ bool ends() const { return word >> 24; }
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

template <Layout LAYOUT>
struct Format {
    static constexpr u32 LINK_ID = LAYOUT == ROW ? 15 : LAYOUT == LINK ? 21 : 22;
    static constexpr u32 HEADER = LAYOUT == ROW ? SHORT_HEADER_BYTES : HEADER_BYTES;
    static constexpr u32 SIZE_UNIT = LAYOUT == DENSE_LINK ? 32 : 16;
};

// The fields of the RDH that are checked.
struct Rdh {
    u32 start, sender, used, link, orbit, page_counter, detector_field;

    __device__ __forceinline__ explicit Rdh(const u8* page) {
        const uint4 first = granule_at(page);
        start = low_half(first.x);
        sender = high_half(first.x);
        used = high_half(first.z);
        link = first.w & 0xff;
        orbit = word_at(page + 20);
        page_counter = low_half(word_at(page + 36));
        detector_field = word_at(page + 48);
    }
};

// The header of the payload.
struct ZsHeader {
    u32 version, span, cru, time_offset, samples, first_block, blocks, flags, magic;

    __device__ __forceinline__ explicit ZsHeader(const u8* bytes) {
        const uint4 words = granule_at(bytes);
        version = words.x & 0xff;
        span = words.x >> 8 & 0xff;
        cru = high_half(words.x);
        time_offset = low_half(words.y);
        samples = high_half(words.y);
        first_block = low_half(words.z);
        blocks = high_half(words.z);
        flags = words.w & 0xff;
        magic = words.w >> 24;
    }
};

// A page with its record, and the fields that are checked against the previous page.
struct OpenPage {
    PageRecord record;
    u32 page_counter;

    // The end of the time bins that the page announces.
    template <Layout LAYOUT>
    __device__ __forceinline__ u32 end_of_time_bins() const {
        const u32 first = record.first_time_bin;
        if (LAYOUT != ROW) return first + record.span + 1;
        return first + record.span == 0 ? 1 : first + record.span;
    }
};

__device__ __forceinline__ u32 cru_of(Stream stream) { return 10 * stream.sector() + stream.endpoint() / 2; }

template <Layout LAYOUT>
__device__ __forceinline__ bool is_rdh_sound(const Rdh& rdh, Stream stream, const Bounds& bounds) {
    using Own = Format<LAYOUT>;
    const u32 sender = cru_of(stream) << 7 | (stream.endpoint() & 1) << 6 | Own::LINK_ID;
    return rdh.detector_field == ZS_DETECTOR_FIELD && rdh.sender == sender && rdh.link == Own::LINK_ID &&
           rdh.orbit - bounds.first_orbit < bounds.orbits && rdh.used >= RDH_BYTES + Own::HEADER &&
           rdh.used % Own::SIZE_UNIT == 0;
}

template <Layout LAYOUT>
__device__ __forceinline__ bool is_header_sound(const ZsHeader& header, Stream stream, const Bounds& bounds) {
    return header.version == bounds.version && (LAYOUT == ROW || header.magic == HEADER_MAGIC) &&
           header.cru == cru_of(stream) && header.time_offset < BC_PER_ORBIT &&
           (LAYOUT != DENSE_LINK || (header.flags & ~KNOWN_FLAGS) == 0);
}

template <Layout LAYOUT>
__device__ __forceinline__ u32 start_of_payload(const ZsHeader& header) {
    if (LAYOUT == ROW) return RDH_BYTES + SHORT_HEADER_BYTES;
    if (LAYOUT == LINK) return RDH_BYTES + HEADER_BYTES + header.first_block * GRANULE;
    return header.first_block;
}

template <Layout LAYOUT>
__device__ __forceinline__ u32 end_of_payload(const ZsHeader& header, u32 used) {
    if (LAYOUT != DENSE_LINK) return used;
    return used - HEADER_BYTES - (header.flags & FLAG_TRIGGER_WORD ? TRIGGER_WORD_BYTES : 0);
}

template <Layout LAYOUT>
__device__ __forceinline__ bool is_extent_sound(const OpenPage& open, u32 start, u32 end, u32 used) {
    const PageRecord& page = open.record;
    const u32 last_of_orbit = (page.orbit_start + BC_PER_ORBIT - 1) / BC_PER_TIME_BIN;
    return start <= end && start >= RDH_BYTES && open.end_of_time_bins<LAYOUT>() <= last_of_orbit + 1 &&
           !(LAYOUT == ROW && page.span == 0 && page.samples > 0) &&
           !(page.continues && (page.blocks == 0 || used != PAGE_BYTES));
}

// Reads the headers of one page.
template <Layout LAYOUT>
__device__ __forceinline__ Verdict open_page(const u8* page, Stream stream, const Bounds& bounds, OpenPage& open) {
    const Rdh rdh(page);
    if (rdh.start != RDH_START || rdh.used < RDH_BYTES || rdh.used > PAGE_BYTES) return DAMAGED;
    if (rdh.used == RDH_BYTES) return EMPTY;
    if (!is_rdh_sound<LAYOUT>(rdh, stream, bounds)) return DAMAGED;
    const ZsHeader header(page + (LAYOUT == DENSE_LINK ? rdh.used - HEADER_BYTES : RDH_BYTES));
    if (!is_header_sound<LAYOUT>(header, stream, bounds)) return DAMAGED;
    const u32 start = start_of_payload<LAYOUT>(header), end = end_of_payload<LAYOUT>(header, rdh.used);
    const bool long_span = LAYOUT == DENSE_LINK && header.flags & FLAG_LONG_SPAN;
    PageRecord& record = open.record;
    record.orbit_start = (rdh.orbit - bounds.first_orbit) * BC_PER_ORBIT;
    record.first_time_bin = (record.orbit_start + header.time_offset) / BC_PER_TIME_BIN;
    record.time_offset = (u16)header.time_offset;
    record.span = (u16)(header.span + (long_span ? 256 : 0));
    record.samples = (u16)header.samples;
    record.blocks = (u16)(LAYOUT == ROW ? 0 : header.blocks);
    record.pieces = 0;
    record.start = (u16)start;
    record.end = (u16)end;
    record.continuation = 0;
    record.endpoint = (u8)stream.endpoint();
    record.sector = (u8)stream.sector();
    record.map = (u8)stream.map();
    record.version = (u8)bounds.version;
    open.page_counter = rdh.page_counter;
    record.continues = LAYOUT == DENSE_LINK && header.flags & FLAG_CONTINUES;
    return is_extent_sound<LAYOUT>(open, start, end, rdh.used) ? SOUND : DAMAGED;
}

// Reads the headers of a page, and those of the next one if the last block continues there.
template <Layout LAYOUT>
__device__ __forceinline__ Verdict open_in_stream(const u8* page, Stream stream, const Bounds& bounds,
                                                  OpenPage& open) {
    const Verdict verdict = open_page<LAYOUT>(page, stream, bounds, open);
    if (LAYOUT != DENSE_LINK || verdict != SOUND || !open.record.continues) return verdict;
    OpenPage next;
    if (stream.ends() || open_page<LAYOUT>(page + PAGE_BYTES, stream, bounds, next) != SOUND) return DAMAGED;
    const bool follows = next.page_counter == ((open.page_counter + 1) & 0xffff) &&
                         next.record.orbit_start == open.record.orbit_start;
    open.record.continuation = (u16)(next.record.start - RDH_BYTES);
    return follows ? SOUND : DAMAGED;
}

// Pages, and the results of their validation.

struct Pages {
    const Validation& all;

    // Creates the walk through a page whose headers are read. An invalid page is not walked
    // through.
    template <Layout LAYOUT, class Walk>
    __device__ __forceinline__ Walk open(u32 page, Verdict& verdict) const {
        OpenPage open = {};
        verdict = EMPTY;
        if (page < all.count)
            verdict = open_in_stream<LAYOUT>(page_at(all.bytes, page), {all.streams[page]}, all.bounds, open);
        Piece* index = all.stride ? all.index + (u64)page * all.stride : nullptr;
        return Walk(open.record, all.geometry, index, verdict == SOUND);
    }

    // Stores the results of a walk; `verdict` is that of the headers.
    template <Layout LAYOUT, class Walk>
    __device__ __forceinline__ void put(u32 page, Verdict verdict, const Walk& walk) const {
        if (verdict == SOUND && !walk.sound) verdict = DAMAGED;
        OpenPage open = {walk.page, 0};
        PageRecord& record = open.record;
        record.pieces = (u16)walk.index.count;
        all.records[page] = record;
        // Time bins of pages whose samples are needed; see place.cu.
        const u32 time_bins = open.end_of_time_bins<LAYOUT>() - record.first_time_bin;
        const u32 samples = verdict == SOUND ? record.samples : 0;
        all.extents[page] = make_uint2(record.first_time_bin, time_bins << 16 | samples);
        all.verdicts[page] = verdict;
    }
};

// Lanes that take the pages of their warp one after the other.
//
// The number of links differs between pages. With one page a lane, all would wait for the longest.

// The pages of a warp: an equal share of all.
struct Share {
    u32 begin, end;

    __device__ __forceinline__ Share(u32 pages, u32 warp, u32 warps)
        : begin((u32)((u64)pages * warp / warps)), end((u32)((u64)pages * (warp + 1) / warps)) {}
};

// A lane's page, and its window of the page.
template <Layout LAYOUT, class Walk>
struct Turn {
    static constexpr u32 NO_PAGE = ~0u;

    u32 page = NO_PAGE;
    Verdict verdict;
    Walk walk;
    Window window;

    __device__ __forceinline__ Turn(const Pages& pages, const Slot<Walk::WINDOW>& slot)
        : walk(pages.open<LAYOUT, Walk>(NO_PAGE, verdict)), window(slot, pages.all.bytes) {}

    __device__ __forceinline__ bool has_page() const { return page != NO_PAGE; }
    __device__ __forceinline__ bool wants_window() const {
        return walk.walking && !window.reaches(walk.position + Walk::REACH);
    }
    __device__ __forceinline__ bool can_step() const {
        return walk.walking && window.reaches(walk.position + Walk::REACH);
    }

    // Takes another page, if there is one.
    __device__ __forceinline__ void take(const Pages& pages, u32 number, u32 end) {
        if (has_page()) pages.put<LAYOUT>(page, verdict, walk);
        page = number < end ? number : NO_PAGE;
        walk = pages.open<LAYOUT, Walk>(page, verdict);
        window.leave();
    }
};

// Validates a warp's share of all pages with its lanes. The slots are those of this warp.
template <Layout LAYOUT, class Walk>
__device__ __forceinline__ void walk_in_turn(const Pages& pages, Share share, Slot<Walk::WINDOW>* slots) {
    const u32 lane = threadIdx.x % LANES;
    const Windows<Walk::WINDOW, typename Walk::Lanes, Walk::TOGETHER> windows = {pages.all.bytes, slots};
    Turn<LAYOUT, Walk> own(pages, slots[lane]);
    u32 next = share.begin;
    while (true) {
        const bool idle = !own.walk.walking, wants_page = idle && (own.has_page() || next < share.end);
        const bool all_wait = !__any_sync(FULL_MASK, own.can_step());
        // Loads stall the whole warp, so they wait until enough lanes need one.
        const auto are_served = [=](lanemask_t waiting) {
            return waiting != 0 && (all_wait || (u32)popc(waiting) >= Walk::PATIENCE);
        };
        const lanemask_t takers = __ballot_sync(FULL_MASK, wants_page);
        if (are_served(takers)) {
            if (wants_page) own.take(pages, next + (u32)popc(takers & lanemask_lt(lane)), share.end);
            next = min(next + (u32)popc(takers), share.end);
        }
        const lanemask_t wanted = __ballot_sync(FULL_MASK, own.wants_window());
        if (are_served(wanted)) {
            lanemask_t left = wanted;
            windows.load_some(WindowLocation::of_page(own.walk.page, own.page, own.walk.position), left);
            if ((wanted & ~left) >> lane & 1) own.window.move_to(own.walk.position, Walk::WINDOW);
        }
        if (all_wait && takers == 0 && wanted == 0) return;
        if (own.can_step()) own.walk.step(own.window);
        // All lanes have finished with their windows before these are replaced.
        __syncwarp();
    }
}

}  // namespace
