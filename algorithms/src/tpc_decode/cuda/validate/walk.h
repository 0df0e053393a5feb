// Common part of the walks through pages of all layouts.
#pragma once
#include "../pages/geometry.h"
#include "window.h"

namespace {

// The offsets of a page's blocks with samples, for decoders that start at any block (of row pages
// those of all records, so that their index determines the time); or empty, if no index is wanted.
struct Index {
    Piece* pieces;
    u32 count = 0;

    __device__ __forceinline__ void put(u32 number, u32 position, u32 first_sample) const {
        if (pieces) pieces[number] = {(u16)position, (u16)first_sample};
    }
};

// State of a team in its page. It is uniform for all lanes.
template <u32 TEAM_SIZE>
struct Walk {
    using Lanes = Team<TEAM_SIZE>;
    // Windows that are loaded at a time.
    static constexpr u32 TOGETHER = 2;

    PageRecord page;
    Index index;
    u32 position;
    u32 samples = 0;
    u32 walking, sound = false;

    __device__ __forceinline__ Walk(const PageRecord& page, Piece* pieces, bool walking)
        : page(page), index{pieces}, position(page.start), walking(walking) {}

    // Done by the first lane of a team.
    __device__ __forceinline__ void add_to_index(u32 position) {
        if (Lanes::rank() == 0) index.put(index.count, position, samples);
        index.count++;
    }

    __device__ __forceinline__ void give_up() { walking = false; }

    // Ends the walk through the page.
    __device__ __forceinline__ void end(bool is_sound) {
        walking = false;
        sound = is_sound && samples == page.samples;
    }

    __device__ __forceinline__ u32 joined_end() const { return page.end + page.continuation; }
};

// Advances each team's walk through its page. `step` is called by whole warps, with a flag whether
// this team takes part: if it is `walking`, with at least Walk::REACH bytes from its `position` on
// in its window of Walk::WINDOW bytes. Other teams execute the step in any window because branches
// would take more time. The slots are those of this warp.
template <class Walk>
__device__ __forceinline__ void walk_pages(const u8* pages, u32 page, Walk& walk, Slot<Walk::WINDOW>* slots) {
    static_assert(Walk::REACH + GRANULE <= Walk::WINDOW, "a window is enough for a step");
    using Lanes = typename Walk::Lanes;
    const Windows<Walk::WINDOW, Lanes, Walk::TOGETHER> windows = {pages, slots};
    Window window(slots[Lanes::number()], page_at(pages, page));
    windows.clear();
    while (__any_sync(FULL_MASK, walk.walking)) {
        const bool wanting = walk.walking && !window.reaches(walk.position + Walk::REACH);
        const lanemask_t wanted = windows.teams(wanting);
        if (wanted != 0) {
            windows.load(WindowLocation::of_page(walk.page, page, walk.position), wanted);
            if (wanting) window.move_to(walk.position, Walk::WINDOW);
        }
        walk.step(window, walk.walking);
        // All lanes have finished with their windows before these are replaced.
        __syncwarp();
    }
}

}  // namespace
