// Accepts or rejects pages as a unit before any of their data are used. As validate.cu of decode.
//
// A page is a chain: each block has to be read to find the next one. So a team of a few lanes walks
// through a page, follows the chain together and shares all other work; see window.h. Dense link pages
// have little other work: if there are many, each lane walks through a page of its own, and takes
// another one when it is done. Samples are skipped.
#pragma once
#include "dense_walks.h"
#include "headers.h"
#include "walks.h"

namespace decode {

constexpr u32 VALIDATE_THREADS = 64;

// A window for each team.
template <class Walk> struct ValidateShared {
    static constexpr u32 PAGES = VALIDATE_THREADS / Walk::Lanes::LANES_EACH;

    Slot<Walk::WINDOW> slots[PAGES];
};

// Pages, and the results of their validation.
struct Pages {
    const u8* bytes;
    // Word of the stream of each page.
    const u32* streams;
    Geometry geometry;
    u32 count;
    Bounds bounds;
    PageRecord* records;
    PageExtent* extents;
    // Of each page 1 if it is rejected, else 0.
    u8* damaged;

    // Creates the walk through a page whose headers are read. An invalid page is not walked through.
    template <Layout LAYOUT, class Walk> DEVICE Walk open(u32 page, Verdict& verdict) const {
        OpenPage open;
        verdict = EMPTY;
        if (page < count) verdict = open_in_stream<LAYOUT>(page_at(bytes, page), {streams[page]}, bounds, open);
        return Walk(open.record, geometry, verdict == SOUND);
    }

    // Stores the results of a walk; `verdict` is that of the headers.
    template <Layout LAYOUT, class Walk> DEVICE void put(u32 page, Verdict verdict, const Walk& walk) const {
        if (verdict == SOUND && !walk.sound) verdict = DAMAGED;
        const OpenPage open = {walk.page, 0};
        records[page] = open.record;
        const u32 time_bins = open.end_of_time_bins<LAYOUT>() - open.record.first_time_bin;
        const u32 samples = verdict == SOUND ? open.record.samples : 0;
        extents[page] = {open.record.first_time_bin, time_bins << 16 | samples};
        damaged[page] = verdict == DAMAGED;
    }
};

// Validates a page with each team.
template <Layout LAYOUT, class Walk>
DEVICE void validate(Item item, const Pages& pages, ValidateShared<Walk>& shared) {
    using Lanes = typename Walk::Lanes;
    const u32 first = warp_of(item) * Lanes::COUNT;
    const u32 page = group_of(item) * ValidateShared<Walk>::PAGES + first + Lanes::number(item);
    Verdict verdict;
    Walk walk = pages.open<LAYOUT, Walk>(page, verdict);
    walk_pages(item, pages.bytes, page, walk, shared.slots + first);
    if (page < pages.count && Lanes::rank(item) == 0) pages.put<LAYOUT>(page, verdict, walk);
}

// The pages of a sub-group: an equal share of all.
struct Share {
    u32 begin, end;

    DEVICE Share(u32 pages, u32 warp, u32 warps)
        : begin(u32(u64(pages) * warp / warps)), end(u32(u64(pages) * (warp + 1) / warps)) {}
};

// A lane's page, and its window of the page.
template <Layout LAYOUT, class Walk> struct Turn {
    static constexpr u32 NO_PAGE = ~0u;

    u32 page = NO_PAGE;
    Verdict verdict = EMPTY;
    Walk walk;
    Window window;

    DEVICE Turn(const Pages& pages, const Slot<Walk::WINDOW>& slot)
        : walk(pages.open<LAYOUT, Walk>(NO_PAGE, verdict)), window(slot, pages.bytes) {}

    DEVICE bool has_page() const { return page != NO_PAGE; }
    DEVICE bool wants_window() const { return walk.walking && !window.reaches(walk.position + Walk::REACH); }
    DEVICE bool can_step() const { return walk.walking && window.reaches(walk.position + Walk::REACH); }

    // Takes another page, if there is one.
    DEVICE void take(const Pages& pages, u32 number, u32 end) {
        if (has_page()) pages.put<LAYOUT>(page, verdict, walk);
        page = number < end ? number : NO_PAGE;
        walk = pages.open<LAYOUT, Walk>(page, verdict);
        window.leave();
    }
};

// Validates pages in a loop, with any number of work-groups: lanes take one page of their sub-group's
// share after the other. With one page a lane, all would wait for the one with the most links.
template <Layout LAYOUT, class Walk>
DEVICE void validate_in_turn(Item item, const Pages& pages, ValidateShared<Walk>& shared) {
    constexpr u32 WARPS = VALIDATE_THREADS / LANES;
    const u32 lane = lane_of(item);
    const u32 warp = warp_of(item);
    const Share share(pages.count, group_of(item) * WARPS + warp, u32(item.get_group_range(0)) * WARPS);
    Slot<Walk::WINDOW>* slots = shared.slots + warp * LANES;
    const Windows<Walk::WINDOW, typename Walk::Lanes, Walk::TOGETHER> windows = {pages.bytes, slots};
    Turn<LAYOUT, Walk> own(pages, slots[lane]);
    u32 next = share.begin;
    while (true) {
        const bool idle = !own.walk.walking;
        const bool wants_page = idle && (own.has_page() || next < share.end);
        const bool all_wait = vote(item, own.can_step()) == 0;
        // Loads stall the whole sub-group, so they wait until enough lanes need one.
        const auto are_served = [=](u32 waiting) {
            return waiting != 0 && (all_wait || u32(sycl::popcount(waiting)) >= Walk::PATIENCE);
        };
        const u32 takers = vote(item, wants_page);
        if (are_served(takers)) {
            const u32 number = next + u32(sycl::popcount(takers & lanes_below(lane)));
            if (wants_page) own.take(pages, number, share.end);
            next = min_of(next + u32(sycl::popcount(takers)), share.end);
        }
        const u32 wanted = vote(item, own.wants_window());
        if (are_served(wanted)) {
            u32 left = wanted;
            windows.load_some(item, WindowLocation::of_page(own.walk.page, own.page, own.walk.position), left);
            if ((wanted & ~left) >> lane & 1) own.window.move_to(own.walk.position, Walk::WINDOW);
        }
        if (all_wait && takers == 0 && wanted == 0) return;
        if (own.can_step()) own.walk.step(own.window);
        // All lanes have finished with their windows before these are replaced.
        warp_barrier(item);
    }
}

}  // namespace decode
