// Work that the host of native kernels does; a plugin has pages on the GPU only: words of streams,
// fragments that pages touch, and cleared maps.
#pragma once
#include "headers.h"

namespace decode {

constexpr u32 PREPARE_THREADS = 256;

// Pages of an endpoint that follow each other in time.
struct PageStream {
    u64 first_page, pages;
    u32 sector, endpoint;
    u64 map;
};

// Writes the word of each page. A work-group for each stream.
DEVICE void write_streams(Item item, const PageStream* streams, u32* words) {
    const PageStream stream = streams[group_of(item)];
    for (u64 i = thread_of(item); i < stream.pages; i += PREPARE_THREADS) {
        const bool ends = i + 1 == stream.pages;
        words[stream.first_page + i] = Stream::of(stream.sector, stream.endpoint, u32(stream.map), ends).word;
    }
}

// True if the headers of a page are valid; then `end` is that of the time bins that it announces.
template <Layout LAYOUT>
DEVICE bool announces(const u8* page, Stream stream, const Bounds& bounds, OpenPage& open, u32& end) {
    const bool is_sound = open_in_stream<LAYOUT>(page, stream, bounds, open) == SOUND;
    end = open.end_of_time_bins<LAYOUT>();
    return is_sound;
}

DEVICE bool announces(const u8* page, Stream stream, const Bounds& bounds, OpenPage& open, u32& end) {
    switch (bounds.version) {
        case 1:
        case 2:
            return announces<ROW>(page, stream, bounds, open, end);
        case 3:
            return announces<LINK>(page, stream, bounds, open, end);
        default:
            return announces<DENSE_LINK>(page, stream, bounds, open, end);
    }
}

// Flags the fragments that a page with valid headers touches: fragments have `length` time bins, and
// follow each other after `step` of them. A work-item for each page.
DEVICE void flag_fragments(const u8* page, Stream stream, const Bounds& bounds, u32 length, u32 step, u32* flags) {
    OpenPage open;
    u32 end;
    if (!announces(page, stream, bounds, open, end)) return;
    const u32 start = open.record.first_time_bin;
    const u32 after_length = start + 1 < length ? 0 : start + 1 - length;
    for (u32 fragment = (after_length + step - 1) / step; fragment * step < end; fragment++) flags[fragment] = 1;
}

// Clears `count` granules.
DEVICE void clear(Item item, sycl::uint4* granules, u64 count) {
    const u64 all = item.get_group_range(0) * u64(PREPARE_THREADS);
    for (u64 i = group_of(item) * u64(PREPARE_THREADS) + thread_of(item); i < count; i += all)
        granules[i] = sycl::uint4(0);
}

}  // namespace decode
