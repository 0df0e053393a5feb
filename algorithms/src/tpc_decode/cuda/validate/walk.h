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

    __device__ __forceinline__ void put(u32 number, u32 position, u32 first_sample) const {
        if (pieces) pieces[number] = {(u16)position, (u16)first_sample};
    }

    // By the first lane of a team for all.
    __device__ __forceinline__ void add(u32 position, u32 first_sample) {
        if (rank_in_team() == 0) put(count, position, first_sample);
        count++;
    }
};

// A team's way through its page. All of it is the same for all lanes.
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

// Lets each team's walk go through its page. `step` is called for whole warps, with whether
// this team takes it: if it is `walking`, which it does with at least Walk::REACH bytes from its
// `position` on in its window of Walk::WINDOW bytes. Others go along in any window, as branches
// take more time. The slots are those of this warp.
template <class Walk>
__device__ __forceinline__ void walk_pages(const u8* first_page, Walk& walk, Slot<Walk::WINDOW>* slots) {
    static_assert(Walk::REACH + GRANULE <= Walk::WINDOW, "a window is enough for a step");
    const u32 team = first_of_team() / TEAM;
    const Windows<Walk::WINDOW> windows = {first_page, slots};
    Window window(slots[team], first_page + team * PAGE_BYTES);
    windows.clear();
    while (__any_sync(FULL_MASK, walk.walking)) {
        const bool wanting = walk.walking && walk.position + Walk::REACH > window.end;
        if (__any_sync(FULL_MASK, wanting)) {
            windows.load(Place::of(walk.page, walk.position), wanting);
            if (wanting) window.move_to(walk.position, Walk::WINDOW);
        }
        walk.step(window, walk.walking);
        // Windows are not replaced before all lanes are done with them.
        __syncwarp();
    }
}

}  // namespace
