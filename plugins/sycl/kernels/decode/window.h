// Lanes that walk through a page together, and the windows of pages that they read. As
// validate/window.h of decode, without an index of blocks.
#pragma once
#include "page.h"

namespace decode {

// Lanes of a team: all of them follow the page's chain, and each checks every TEAM-th of its links,
// blocks or rows.
constexpr u32 TEAM = 4;

template <u32 SIZE> struct Team {
    static constexpr u32 LANES_EACH = SIZE;
    // Teams of a sub-group.
    static constexpr u32 COUNT = LANES / SIZE;

    DEVICE static u32 rank(Item item) { return thread_of(item) % SIZE; }

    // The first of a team's lanes.
    DEVICE static u32 first(Item item) { return lane_of(item) / SIZE * SIZE; }

    // The index of a team in its sub-group.
    DEVICE static u32 number(Item item) { return lane_of(item) / SIZE; }

    // The following functions are called by whole sub-groups, even if a team doesn't need them.

    // The value of one lane of the team, by its rank.
    DEVICE static u32 of_rank(Item item, u32 value, u32 rank) {
        return from_lane(item, value, first(item) + rank % SIZE);
    }

    DEVICE static bool any(Item item, bool condition) {
        const u32 team = ((1u << SIZE) - 1) << first(item);
        return (vote(item, condition) & team) != 0;
    }

    DEVICE static u32 sum(Item item, u32 value) {
        if (SIZE > 1) value += from_lane_xor(item, value, 1);
        if (SIZE > 2) value += from_lane_xor(item, value, 2);
        return value;
    }

    // The sum over this lane and those of lower ranks.
    DEVICE static u32 inclusive_sum(Item item, u32 value) {
        static_assert(SIZE <= 4, "two rounds");
        const u32 one_below = from_lower_lane(item, value, 1);
        if (rank(item) >= 1) value += one_below;
        const u32 two_below = from_lower_lane(item, value, 2);
        if (rank(item) >= 2) value += two_below;
        return value;
    }
};

// Windows: the parts of pages that the teams of a sub-group read.
//
// Teams read at offsets far from each other; single loads would only use a fraction of the memory
// bandwidth. So the sub-group loads for each of its teams a window of the page into local memory, 16
// bytes a lane. A team advances through its window until it needs data after its end.

// A team's local memory, for windows of BYTES bytes. Padding avoids bank conflicts between teams that
// are at the same offset of their windows.
template <u32 BYTES> struct alignas(16) Slot {
    static constexpr u32 GRANULES = BYTES / GRANULE;
    // Loads of a lane.
    static constexpr u32 LOADS = GRANULES / LANES;
    static_assert(BYTES % (GRANULE * LANES) == 0, "the same number of loads for each lane");

    sycl::uint4 granules[GRANULES];
    sycl::uint4 gap;
};

// Bytes of a page, by their offset in the page.
struct Window {
    const u8* bytes;
    const u8* page;  // in global memory
    u32 start = 0;
    u32 end = 0;

    template <u32 BYTES>
    DEVICE Window(const Slot<BYTES>& slot, const u8* page)
        : bytes(reinterpret_cast<const u8*>(slot.granules)), page(page) {}

    // Called after the window at this offset was loaded.
    DEVICE void move_to(u32 position, u32 size) {
        start = position / GRANULE * GRANULE;
        end = start + size;
    }

    // Empties the window so that it is not used for another page.
    DEVICE void leave() { end = 0; }

    DEVICE bool reaches(u32 position) const { return position <= end; }

    // The native kernel keeps the address that corresponds to the first byte of the page. It may be below
    // local memory, where DPC++'s conversion to a generic address goes wrong.
    DEVICE const u8* at(u32 position) const { return bytes + i32(position - start); }

    // The aligned word that contains an offset.
    DEVICE const u32* aligned(u32 position) const { return reinterpret_cast<const u32*>(at(position / 4 * 4)); }

    DEVICE sycl::uint4 granule(u32 position) const { return *reinterpret_cast<const sycl::uint4*>(at(position)); }

    // Two bytes from any offset on.
    DEVICE u32 half(u32 position) const {
        const u8* two = at(position);
        return two[0] | u32(two[1]) << 8;
    }

    // Bytes that may be after the end of the window: they are read from memory then, and are 0 after
    // the end of the page.
    DEVICE u32 byte_behind(u32 position) const { return position < end ? *at(position) : byte_in_memory(position); }
    DEVICE u32 half_behind(u32 position) const {
        if (position + 1 < end) return half(position);
        return byte_in_memory(position) | byte_in_memory(position + 1) << 8;
    }

  private:
    DEVICE u32 byte_in_memory(u32 position) const { return position < PAGE_BYTES ? page[position] : 0; }
};

// Location of a window among the granules of all pages, in a form that lanes exchange.
struct WindowLocation {
    static constexpr u32 PAGE_GRANULES = PAGE_BYTES / GRANULE;
    static constexpr u32 BITS = 10;
    static constexpr u32 MASK = (1u << BITS) - 1;

    u32 first;
    u32 packed;  // granules to the last one; to the end of the page; from there to those of the next one

    DEVICE static WindowLocation of_page(const PageRecord& page, u32 number, u32 position) {
        const u32 joined_end = (page.end + page.continuation + GRANULE - 1) / GRANULE;
        const u32 end = page.end / GRANULE;
        // A walk may be past the end of its page, and detects that later.
        const u32 first = min_of(position / GRANULE, joined_end - 1);
        const u32 last = joined_end - 1 - first;
        const u32 within = max_of(end, first) - first;
        const u32 gap = PAGE_GRANULES + RDH_BYTES / GRANULE - end;
        return {number * PAGE_GRANULES + first, last | within << BITS | gap << 2 * BITS};
    }

    // A granule of the window: of the page, or of the next one after its RDH. Beyond the end, the last
    // granule is repeated: a walk that reads it is past the end, and stops.
    DEVICE u64 granule(u32 number) const {
        const u32 wanted = min_of(number, packed & MASK);
        return u64(first) + wanted + (wanted < (packed >> BITS & MASK) ? 0 : packed >> 2 * BITS);
    }

    // The location of a lane's window.
    DEVICE WindowLocation of_lane(Item item, u32 lane) const {
        return {from_lane(item, first, lane), from_lane(item, packed, lane)};
    }
};

// The windows of a sub-group's teams. TOGETHER of them are loaded at a time, so that more loads are in
// flight while it waits.
template <u32 BYTES, class Lanes, u32 TOGETHER> struct Windows {
    static constexpr u32 LOADS = Slot<BYTES>::LOADS;

    const u8* pages;
    Slot<BYTES>* slots;

    // Initializes the memory that teams without a page read.
    DEVICE void clear(Item item) const {
        for (u32 i = lane_of(item); i < Lanes::COUNT * Slot<BYTES>::GRANULES; i += LANES)
            slots[i / Slot<BYTES>::GRANULES].granules[i % Slot<BYTES>::GRANULES] = sycl::uint4(0);
        warp_barrier(item);
    }

    // The first lanes of the teams that need a window; called by whole sub-groups.
    DEVICE static u32 teams(Item item, bool wanting) { return vote(item, wanting && Lanes::rank(item) == 0); }

    // Loads the windows of all `wanted` teams, each from its location on; called by whole sub-groups.
    DEVICE void load(Item item, WindowLocation own, u32 wanted) const {
        while (wanted != 0) load_some(item, own, wanted);
    }

    // Loads the windows of up to TOGETHER of the teams, and removes these from `left`, which has one
    // at least.
    DEVICE void load_some(Item item, WindowLocation own, u32& left) const {
        const u32 lane = lane_of(item);
        u32 teams[TOGETHER];
        sycl::uint4 loaded[TOGETHER][LOADS];
        u32 first_lane = 0;
        unrolled<TOGETHER>([&](u32 i) ALWAYS_INLINE {
            // If there is no further team, the last one's window is loaded again.
            if (left != 0) first_lane = u32(sycl::ctz(left));
            left &= left - 1;
            teams[i] = first_lane / Lanes::LANES_EACH;
            const WindowLocation location = own.of_lane(item, first_lane);
#pragma unroll
            for (u32 k = 0; k < LOADS; k++)
                loaded[i][k] = granule_at(pages + location.granule(k * LANES + lane) * GRANULE);
        });
        unrolled<TOGETHER>([&](u32 i) ALWAYS_INLINE {
#pragma unroll
            for (u32 k = 0; k < LOADS; k++) slots[teams[i]].granules[k * LANES + lane] = loaded[i][k];
        });
        warp_barrier(item);
    }
};

// State of a team in its page. It is uniform for all lanes.
template <u32 TEAM_SIZE> struct Walk {
    using Lanes = Team<TEAM_SIZE>;
    // Windows that are loaded at a time.
    static constexpr u32 TOGETHER = 2;

    PageRecord page;
    u32 position;
    u32 samples = 0;
    u32 walking;
    u32 sound = false;

    DEVICE Walk(const PageRecord& page, bool walking) : page(page), position(page.start), walking(walking) {}

    DEVICE void give_up() { walking = false; }

    // Ends the walk through the page.
    DEVICE void end(bool is_sound) {
        walking = false;
        sound = is_sound && samples == page.samples;
    }

    DEVICE u32 joined_end() const { return page.end + page.continuation; }
};

// Advances each team's walk through its page. `step` is called by whole sub-groups, with a flag whether
// this team takes part: if it is `walking`, with at least Walk::REACH bytes from its `position` on in
// its window of Walk::WINDOW bytes. Other teams execute the step in any window because branches would
// take more time. The slots are those of this sub-group.
template <class Walk>
DEVICE void walk_pages(Item item, const u8* pages, u32 page, Walk& walk, Slot<Walk::WINDOW>* slots) {
    static_assert(Walk::REACH + GRANULE <= Walk::WINDOW, "a window is enough for a step");
    using Lanes = typename Walk::Lanes;
    const Windows<Walk::WINDOW, Lanes, Walk::TOGETHER> windows = {pages, slots};
    Window window(slots[Lanes::number(item)], page_at(pages, page));
    windows.clear(item);
    while (vote(item, walk.walking) != 0) {
        const bool wanting = walk.walking && !window.reaches(walk.position + Walk::REACH);
        const u32 wanted = windows.teams(item, wanting);
        if (wanted != 0) {
            windows.load(item, WindowLocation::of_page(walk.page, page, walk.position), wanted);
            if (wanting) window.move_to(walk.position, Walk::WINDOW);
        }
        walk.step(item, window, walk.walking);
        // All lanes have finished with their windows before these are replaced.
        warp_barrier(item);
    }
}

}  // namespace decode
