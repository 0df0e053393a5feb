// What walks through pages of all layouts have in common.
#pragma once
#include "../pages/geometry.h"
#include "window.h"

namespace {

// The places of a page's blocks with samples, for decoders that want to begin
// anywhere (of row pages those of all records, so that their numbers tell the time);
// or nothing, where nobody wants to know.
struct Index {
    Piece* pieces;
    u32 count = 0;

    __device__ __forceinline__ void add(u32 position, u32 first_sample) {
        if (pieces) pieces[count] = {(u16)position, (u16)first_sample};
        count++;
    }
};

struct Walk {
    PageRecord page;
    Index index;
    u32 position;
    u32 samples = 0;
    bool walking, sound = false;

    __device__ __forceinline__ Walk(const PageRecord& page, Piece* pieces, bool walking)
        : page(page), index{pieces}, position(page.start), walking(walking) {}

    __device__ __forceinline__ void give_up() { walking = false; }

    // All of the page was seen.
    __device__ __forceinline__ void end(bool is_sound) {
        walking = false;
        sound = is_sound && samples == page.samples;
    }

    __device__ __forceinline__ u32 joined_end() const { return page.end + page.continuation; }
};

}  // namespace
