// Pages that the lanes of a warp go through side by side, a page a lane.
//
// Where a block begins is known only when the one before was read, so one page can't
// be read by many threads. Many pages can be by many; but then each thread reads at a
// place of its own, some bytes at a time. So a warp loads the pages of all its lanes
// together, CHUNK bytes of each at a time and 16 a thread, into rings in shared memory.
// While the lanes go through one chunk, the next is on its way, in registers.
#pragma once
#include "../pages/page.h"

namespace {

constexpr u32 CHUNK = 128;
constexpr u32 GRANULES_IN_CHUNK = CHUNK / GRANULE;
constexpr u32 PAGES_AT_ONCE = LANES / GRANULES_IN_CHUNK;
constexpr u32 LOADS = LANES / PAGES_AT_ONCE;
// The chunk that lanes are in, and the one before, in which a field may begin.
constexpr u32 RING = 2 * CHUNK;
constexpr u32 RING_WORDS = RING / sizeof(u32);

// A lane's shared memory. Behind the ring is room for what a walk must remember; it
// also keeps lanes that are at the same place from using the same banks.
struct __align__(16) Ring {
    u32 words[RING_WORDS];
    u32 notes[4];
};

// What of a page is to be loaded: granules of the page, then some of the next one, of
// the part behind the RDH.
struct Source {
    u32 first, end, joined_end;

    static constexpr u32 BITS = 10;  // a page has 512 granules
    static constexpr u32 MASK = (1u << BITS) - 1;

    __device__ __forceinline__ explicit Source(const PageRecord& page) {
        first = page.start / CHUNK * GRANULES_IN_CHUNK;
        end = page.end / GRANULE;
        joined_end = (page.end + page.continuation + GRANULE - 1) / GRANULE;
    }

    // As lanes hand it on. Without a page, nothing is loaded.
    __device__ __forceinline__ u32 packed(bool wanted) const {
        return wanted ? first | end << BITS | (joined_end - end) << (2 * BITS) : 0;
    }

    __device__ __forceinline__ explicit Source(u32 packed) {
        first = packed & MASK;
        end = packed >> BITS & MASK;
        joined_end = end + (packed >> (2 * BITS));
    }

    // Where a granule is.
    __device__ __forceinline__ const u8* at(const u8* page, u32 granule) const {
        const u32 behind = PAGE_BYTES + RDH_BYTES - end * GRANULE;
        return page + granule * GRANULE + (granule < end ? 0 : behind);
    }
};

// Bytes of a page as far as they are loaded.
struct Window {
    Ring* ring;

    __device__ __forceinline__ u32 aligned_word(u32 number) const { return ring->words[number % RING_WORDS]; }

    // Four bytes from any place on.
    __device__ __forceinline__ u32 word(u32 position) const {
        const u32 number = position / sizeof(u32);
        return __funnelshift_r(aligned_word(number), aligned_word(number + 1), position % sizeof(u32) * 8);
    }

    // Twelve bytes from any place on.
    __device__ __forceinline__ void three_words(u32 position, u32 (&words)[3]) const {
        const u32 number = position / sizeof(u32), shift = position % sizeof(u32) * 8;
        u32 aligned[4];
#pragma unroll
        for (u32 i = 0; i < 4; i++) aligned[i] = aligned_word(number + i);
#pragma unroll
        for (u32 i = 0; i < 3; i++) words[i] = __funnelshift_r(aligned[i], aligned[i + 1], shift);
    }

    __device__ __forceinline__ uint4 granule(u32 position) const {
        return *reinterpret_cast<const uint4*>(&ring->words[position / sizeof(u32) % RING_WORDS]);
    }
};

// Chunks of the pages of a warp on their way to shared memory.
struct Chunks {
    const u8* first_page;
    uint4 ahead[LOADS];

    // The page and the granule of its chunk that this lane loads.
    __device__ __forceinline__ static u32 lane_of(u32 load) {
        return load * PAGES_AT_ONCE + threadIdx.x % LANES / GRANULES_IN_CHUNK;
    }
    __device__ __forceinline__ static u32 own_granule() { return threadIdx.x % GRANULES_IN_CHUNK; }

    // What is behind the end is 0.
    __device__ __forceinline__ void load(u32 packed, u32 number) {
#pragma unroll
        for (u32 i = 0; i < LOADS; i++) {
            const Source source(__shfl_sync(FULL_MASK, packed, (int)lane_of(i)));
            const u32 granule = source.first + number * GRANULES_IN_CHUNK + own_granule();
            ahead[i] = make_uint4(0, 0, 0, 0);
            if (granule < source.joined_end)
                ahead[i] = granule_at(source.at(page_at(first_page, lane_of(i)), granule));
        }
    }

    __device__ __forceinline__ void store(Ring* rings, u32 number) const {
#pragma unroll
        for (u32 i = 0; i < LOADS; i++) {
            // A page's first chunk begins at a multiple of CHUNK.
            const u32 slot = number % (RING / CHUNK) * GRANULES_IN_CHUNK + own_granule();
            reinterpret_cast<uint4*>(rings[lane_of(i)].words)[slot] = ahead[i];
        }
    }
};

// Lets each lane's walk go through its page: `step` is called as often as it is
// `walking`, with at least Walk::REACH bytes from its `position` on. The rings are
// those of this warp.
template <class Walk>
__device__ __forceinline__ void walk_pages(const u8* first_page, const Source& source, Walk& walk, Ring* rings) {
    const Window window = {&rings[threadIdx.x % LANES]};
    Chunks chunks;
    chunks.first_page = first_page;
    chunks.load(source.packed(walk.walking), 0);
    for (u32 number = 0; __any_sync(FULL_MASK, walk.walking); number++) {
        chunks.store(rings, number);
        __syncwarp();
        chunks.load(source.packed(walk.walking), number + 1);
        const u32 loaded = (source.first + (number + 1) * GRANULES_IN_CHUNK) * GRANULE;
        while (walk.walking && walk.position + Walk::REACH <= loaded) walk.step(window);
        __syncwarp();
    }
}

}  // namespace
