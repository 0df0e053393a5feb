// Pages that the lanes of a warp go through side by side, a page a lane.
//
// Where a block begins is known only when the one before was read, so a page can't be
// read by many threads at once. Many pages can be; but then each thread reads at a
// place of its own, some bytes at a time. So a warp loads for all its lanes together:
// for each a window of its page, 16 bytes a thread, into shared memory. A lane goes
// through its window until it needs what is behind, mostly because it has stepped over
// samples, which need not be loaded. Others warps work while one waits.
#pragma once
#include "../pages/page.h"

namespace {

// The heads of a dense block with ten links that each have samples in half of their
// channels.
constexpr u32 WINDOW = 128;
constexpr u32 GRANULES = WINDOW / GRANULE;
constexpr u32 PAGES_AT_ONCE = LANES / GRANULES;
constexpr u32 LOADS = LANES / PAGES_AT_ONCE;

// A lane's shared memory. Behind the window is what a walk must remember; that also
// keeps lanes that are at the same place of their windows from using the same banks.
struct __align__(16) Slot {
    u32 words[WINDOW / sizeof(u32)];
    u32 notes[4];
};

// Bytes of a page, by their places in the page.
struct Window {
    Slot* slot;
    // Where the page would begin if all of it were here: places then need no subtraction.
    const u32* page;
    u32 end;

    __device__ __forceinline__ Window(Slot* slot, u32 start)
        : slot(slot), page(slot->words - start / sizeof(u32)), end(start + WINDOW) {}

    // A lane that has so many bytes to read can go on.
    __device__ __forceinline__ bool reaches(u32 position) const { return position <= end; }

    // The aligned word that a place is in.
    __device__ __forceinline__ const u32* aligned(u32 position) const { return page + position / sizeof(u32); }

    // Four bytes from any place on. Reads two aligned words.
    __device__ __forceinline__ u32 word(u32 position) const {
        const u32* words = aligned(position);
        return __funnelshift_r(words[0], words[1], position % sizeof(u32) * 8);
    }

    __device__ __forceinline__ uint4 granule(u32 position) const {
        return *reinterpret_cast<const uint4*>(aligned(position));
    }
};

// Where a window is in its page, in granules, as lanes hand it on.
struct Place {
    // A page has 512 granules. A walk may be beyond the end of its page, and finds out.
    static constexpr u32 FIRST_BITS = 11;
    static constexpr u32 END_BITS = 10;
    u32 packed;

    __device__ __forceinline__ static Place of(const PageRecord& page, u32 position) {
        const u32 joined_end = (page.end + page.continuation + GRANULE - 1) / GRANULE;
        return {position / GRANULE | page.end / GRANULE << FIRST_BITS | joined_end << (FIRST_BITS + END_BITS)};
    }
    __device__ __forceinline__ static Place nowhere() { return {0}; }

    __device__ __forceinline__ bool is_somewhere() const { return packed != 0; }
    // All of the window is of the page itself.
    __device__ __forceinline__ bool is_within_page() const { return first() + GRANULES <= end(); }
    __device__ __forceinline__ u32 first() const { return packed & ((1u << FIRST_BITS) - 1); }
    __device__ __forceinline__ u32 end() const { return packed >> FIRST_BITS & ((1u << END_BITS) - 1); }
    __device__ __forceinline__ u32 joined_end() const { return packed >> (FIRST_BITS + END_BITS); }

    // Bytes from the beginning of the page to a granule of the window: of the page, or of
    // the next one behind the RDH. In the place of what is behind the end comes the last
    // granule again: a walk that reads it goes beyond the end, and gives up.
    __device__ __forceinline__ u32 offset(u32 granule) const {
        const u32 wanted = min(first() + granule, joined_end() - 1);
        return wanted * GRANULE + (wanted < end() ? 0 : PAGE_BYTES + RDH_BYTES - end() * GRANULE);
    }
};

// What this lane loads for others, in bytes from the first page of the warp: a granule of
// each of so many windows. Lanes without a page get any bytes.
__device__ __forceinline__ void find_loads(Place own, u32 (&offsets)[LOADS]) {
    const u32 lane = threadIdx.x % LANES, granule = lane % GRANULES;
    // Mostly no lane is at the end of its page, and none has to know the places of others.
    const bool within = __all_sync(FULL_MASK, !own.is_somewhere() || own.is_within_page());
    const u32 begin = own.is_somewhere() ? lane * PAGE_BYTES + own.first() * GRANULE : 0;
#pragma unroll
    for (u32 i = 0; i < LOADS; i++) {
        const u32 page = i * PAGES_AT_ONCE + lane / GRANULES;
        offsets[i] = __shfl_sync(FULL_MASK, begin, (int)page) + granule * GRANULE;
    }
    if (within) return;
#pragma unroll
    for (u32 i = 0; i < LOADS; i++) {
        const u32 page = i * PAGES_AT_ONCE + lane / GRANULES;
        const Place place = {__shfl_sync(FULL_MASK, own.packed, (int)page)};
        offsets[i] = place.is_somewhere() ? page * PAGE_BYTES + place.offset(granule) : 0;
    }
}

// Loads the windows of all lanes of a warp.
__device__ __forceinline__ void load_windows(const u8* first_page, Place own, Slot* slots) {
    const u32 lane = threadIdx.x % LANES, granule = lane % GRANULES;
    u32 offsets[LOADS];
    find_loads(own, offsets);
    uint4 loaded[LOADS];
#pragma unroll
    for (u32 i = 0; i < LOADS; i++) loaded[i] = granule_at(first_page + offsets[i]);
    // The windows before are no longer needed.
    __syncwarp();
#pragma unroll
    for (u32 i = 0; i < LOADS; i++) {
        const u32 page = i * PAGES_AT_ONCE + lane / GRANULES;
        reinterpret_cast<uint4*>(slots[page].words)[granule] = loaded[i];
    }
    __syncwarp();
}

// Lets each lane's walk go through its page: `step` is called as often as it is
// `walking`, with at least Walk::REACH bytes from its `position` on. The slots are
// those of this warp.
template <class Walk>
__device__ __forceinline__ void walk_pages(const u8* first_page, Walk& walk, Slot* slots) {
    while (__any_sync(FULL_MASK, walk.walking)) {
        const Place place = walk.walking ? Place::of(walk.page, walk.position) : Place::nowhere();
        load_windows(first_page, place, slots);
        const Window window(&slots[threadIdx.x % LANES], place.first() * GRANULE);
        while (walk.walking && window.reaches(walk.position + Walk::REACH)) walk.step(window);
    }
}

}  // namespace
