// Lanes that walk through a page together.
#pragma once
#include "../pages/page.h"

namespace {

// Lanes of a team: all of them follow the page's chain, and each checks every TEAM-th of its links,
// blocks or rows. With more, fewer chains would be in flight; with fewer, each lane would have more
// to check.
constexpr u32 TEAM = 4;

template <u32 SIZE>
struct Team {
    static constexpr u32 LANES_EACH = SIZE;
    // Teams of a warp.
    static constexpr u32 COUNT = LANES / SIZE;

    __device__ __forceinline__ static u32 rank() { return threadIdx.x % SIZE; }

    // The first of a team's lanes.
    __device__ __forceinline__ static u32 first() { return threadIdx.x % LANES / SIZE * SIZE; }

    // The index of a team in its warp.
    __device__ __forceinline__ static u32 number() { return threadIdx.x % LANES / SIZE; }

    // The following functions are called by whole warps, even if a team doesn't need them.

    // The value of one lane of the team, by its rank.
    __device__ __forceinline__ static u32 of_rank(u32 value, u32 rank) {
        return __shfl_sync(FULL_MASK, value, (int)(first() + rank % SIZE));
    }

    __device__ __forceinline__ static bool any(bool condition) {
        const lanemask_t team = (((lanemask_t)1 << SIZE) - 1) << first();
        return (__ballot_sync(FULL_MASK, condition) & team) != 0;
    }

    __device__ __forceinline__ static u32 sum(u32 value) {
#pragma unroll
        for (u32 distance = 1; distance < SIZE; distance *= 2)
            value += __shfl_xor_sync(FULL_MASK, value, (int)distance);
        return value;
    }

    // The sum over this lane and those of lower ranks.
    __device__ __forceinline__ static u32 inclusive_sum(u32 value) {
#pragma unroll
        for (u32 distance = 1; distance < SIZE; distance *= 2) {
            const u32 below = __shfl_up_sync(FULL_MASK, value, distance);
            if (rank() >= distance) value += below;
        }
        return value;
    }
};

// Windows: the parts of pages that the teams of a warp read.
//
// Teams read at offsets far from each other; single loads would only use a fraction of the memory
// bandwidth. So the warp loads for each of its teams a window of the page into shared memory, 16
// bytes a lane. A team advances through its window until it needs data after its end.

// A team's shared memory, for windows of BYTES bytes. Padding avoids bank conflicts between teams
// that are at the same offset of their windows.
template <u32 BYTES>
struct __align__(16) Slot {
    static constexpr u32 GRANULES = BYTES / GRANULE;
    // Loads of a lane.
    static constexpr u32 LOADS = GRANULES / LANES;
    static_assert(BYTES % (GRANULE * LANES) == 0, "the same number of loads for each lane");

    uint4 granules[GRANULES];
    uint4 gap;
};

// Bytes of a page, by their offset in the page.
struct Window {
    const u8* bytes;
    const u8* page;  // in global memory
    u32 start = 0, end = 0;

    template <u32 BYTES>
    __device__ __forceinline__ Window(const Slot<BYTES>& slot, const u8* page)
        : bytes(reinterpret_cast<const u8*>(slot.granules)), page(page), first_byte(bytes) {}

    // Called after the window at this offset was loaded.
    __device__ __forceinline__ void move_to(u32 position, u32 size) {
        start = position / GRANULE * GRANULE;
        end = start + size;
        first_byte = bytes - start;
    }

    // Empties the window so that it is not used for another page.
    __device__ __forceinline__ void leave() { end = 0; }

    __device__ __forceinline__ bool reaches(u32 position) const { return position <= end; }

    __device__ __forceinline__ const u8* at(u32 position) const { return first_byte + position; }

    // The aligned word that contains an offset.
    __device__ __forceinline__ const u32* aligned(u32 position) const {
        return reinterpret_cast<const u32*>(at(position / sizeof(u32) * sizeof(u32)));
    }

    __device__ __forceinline__ uint4 granule(u32 position) const {
        return *reinterpret_cast<const uint4*>(at(position));
    }

    // Two bytes from any offset on.
    __device__ __forceinline__ u32 half(u32 position) const {
        const u8* two = at(position);
        return two[0] | (u32)two[1] << 8;
    }

    // Bytes that may be after the end of the window: they are read from memory then, and are 0
    // after the end of the page.
    __device__ __forceinline__ u32 byte_behind(u32 position) const {
        return position < end ? *at(position) : byte_in_memory(position);
    }
    __device__ __forceinline__ u32 half_behind(u32 position) const {
        if (position + 1 < end) return half(position);
        return byte_in_memory(position) | byte_in_memory(position + 1) << 8;
    }

  private:
    const u8* first_byte;  // address that corresponds to the first byte of the page

    __device__ __forceinline__ u32 byte_in_memory(u32 position) const {
        return position < PAGE_BYTES ? page[position] : 0;
    }
};

// Location of a window among the granules of all pages, in a form that lanes exchange.
struct WindowLocation {
    static constexpr u32 PAGE_GRANULES = PAGE_BYTES / GRANULE;
    static constexpr u32 BITS = 10;
    static constexpr u32 MASK = (1u << BITS) - 1;

    u32 first;
    u32 packed;  // granules to the last one; to the end of the page; from there to those of the next one

    __device__ __forceinline__ static WindowLocation of_page(const PageRecord& page, u32 number, u32 position) {
        const u32 joined_end = (page.end + page.continuation + GRANULE - 1) / GRANULE, end = page.end / GRANULE;
        // A walk may be past the end of its page, and detects that later.
        const u32 first = min(position / GRANULE, joined_end - 1), last = joined_end - 1 - first;
        const u32 within = max(end, first) - first, gap = PAGE_GRANULES + RDH_BYTES / GRANULE - end;
        return {number * PAGE_GRANULES + first, last | within << BITS | gap << 2 * BITS};
    }

    // A granule of the window: of the page, or of the next one after its RDH. Beyond the end, the
    // last granule is repeated: a walk that reads it is past the end, and stops.
    __device__ __forceinline__ u64 granule(u32 number) const {
        const u32 wanted = min(number, packed & MASK);
        return (u64)first + wanted + (wanted < (packed >> BITS & MASK) ? 0 : packed >> 2 * BITS);
    }

    // The location of a lane's window.
    __device__ __forceinline__ WindowLocation of_lane(u32 lane) const {
        return {__shfl_sync(FULL_MASK, first, (int)lane), __shfl_sync(FULL_MASK, packed, (int)lane)};
    }
};

// The windows of a warp's teams. TOGETHER of them are loaded at a time, so that more loads are in
// flight while the warp waits.
template <u32 BYTES, class Lanes, u32 TOGETHER>
struct Windows {
    static constexpr u32 LOADS = Slot<BYTES>::LOADS;

    const u8* pages;
    Slot<BYTES>* slots;

    // Initializes the memory that teams without a page read.
    __device__ __forceinline__ void clear() const {
        for (u32 i = threadIdx.x % LANES; i < Lanes::COUNT * Slot<BYTES>::GRANULES; i += LANES)
            slots[i / Slot<BYTES>::GRANULES].granules[i % Slot<BYTES>::GRANULES] = make_uint4(0, 0, 0, 0);
        __syncwarp();
    }

    // The first lanes of the teams that need a window; called by whole warps.
    __device__ __forceinline__ static lanemask_t teams(bool wanting) {
        return __ballot_sync(FULL_MASK, wanting && Lanes::rank() == 0);
    }

    // Loads the windows of all `wanted` teams, each from its location on; called by whole warps.
    __device__ __forceinline__ void load(WindowLocation own, lanemask_t wanted) const {
        while (wanted != 0) load_some(own, wanted);
    }

    // Loads the windows of up to TOGETHER of the teams, and removes these from `left`.
    __device__ __forceinline__ void load_some(WindowLocation own, lanemask_t& left) const {
        const u32 lane = threadIdx.x % LANES;
        u32 teams[TOGETHER];
        uint4 loaded[TOGETHER][LOADS];
#pragma unroll
        for (u32 i = 0; i < TOGETHER; i++) {
            // If there is no further team, the last one's window is loaded again.
            const u32 first_lane = left != 0 ? (u32)ffs(left) - 1 : teams[i - 1] * Lanes::LANES_EACH;
            left &= left - 1;
            teams[i] = first_lane / Lanes::LANES_EACH;
            const WindowLocation location = own.of_lane(first_lane);
#pragma unroll
            for (u32 k = 0; k < LOADS; k++)
                loaded[i][k] = granule_at(pages + location.granule(k * LANES + lane) * GRANULE);
        }
#pragma unroll
        for (u32 i = 0; i < TOGETHER; i++)
#pragma unroll
            for (u32 k = 0; k < LOADS; k++) slots[teams[i]].granules[k * LANES + lane] = loaded[i][k];
        __syncwarp();
    }
};

// Common part of the walks through pages of all layouts.

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
