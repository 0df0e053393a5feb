// Lanes that take the pages of their warp one after the other.
//
// The number of links differs between pages. With one page a lane, all would wait for the longest.
#pragma once
#include "pages.h"

namespace {

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
        : walk(pages.open<LAYOUT, Walk>(NO_PAGE, verdict)), window(slot, pages.bytes) {}

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
    const Windows<Walk::WINDOW, typename Walk::Lanes, Walk::TOGETHER> windows = {pages.bytes, slots};
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
