// Who follows whom, found by leaps: see sts/clusters/connectors.rs.
#pragma once
#include "chain.h"
#include "digi.h"
#include "rules.h"
#include "search.h"

// The first place that is enough, if all after it are, too; `end` if none is. The way
// there is a matter of its distance, not of how many places there are.
template <class Enough> __device__ __forceinline__ u32 leap_to(u32 from, u32 end, Enough enough) {
    u32 low = from, high = from, leap = 4;
    for (high += leap; high < end && !enough(high); high += leap) {
        low = high + 1;
        leap *= 2;
    }
    return first_not(low, min(high, end), [&](u32 place) { return !enough(place); });
}

// What a digi of the next channel has to have reached to be not too early to follow one.
template <class Rules> struct Sought {
    u32 channel;
    typename Rules::Earliest earliest;

    __device__ __forceinline__ Sought(u64 digi, const Window& window)
        : channel(digi_channel(digi) + 1), earliest(window, digi_time(digi)) {}
    __device__ __forceinline__ bool is_reached(u64 digi) const {
        const u32 other = digi_channel(digi);
        return other > channel || (other == channel && earliest.is_reached(digi_time(digi)));
    }
};

// Where times are whole, channel and time are one number to compare with.
template <> struct Sought<Exact> {
    u32 channel;
    u64 least;

    __device__ __forceinline__ Sought(u64 digi, const Window& window) : channel(digi_channel(digi) + 1) {
        least = ((u64)channel << TIME_BITS) + Exact::Earliest(window, digi_time(digi)).least;
    }
    __device__ __forceinline__ bool is_reached(u64 digi) const { return digi_key(digi) >= least; }
};

// The digis of a side in order of channel and time, and what links write about them.
// Places count from the side's first digi.
struct Followers {
    const u64* digis;
    u32* connectors;
    u32 count;
    // Those of all sides, and where this side's begin.
    u8* follows;
    u32 begin;

    __device__ __forceinline__ u32 channel(u32 place) const { return digi_channel(digis[place]); }
    __device__ __forceinline__ u32 time(u32 place) const { return digi_time(digis[place]); }

    // Whether the digi at the next place is of the same channel, and so near that both may
    // choose the same one.
    __device__ __forceinline__ bool is_crowded(u32 place, const Window& window) const {
        const u64 own = digis[place], next = digis[place + 1];
        return digi_channel(own) == digi_channel(next) && digi_time(next) - digi_time(own) <= window.crowd_ns;
    }

    // Links a digi with the earliest one of the next channel, from a place on, that is near;
    // returns the first place that is left to later digis of its channel.
    template <class Rules> __device__ __forceinline__ u32 link_one(u32 place, u32 from, const Window& window) const {
        const u64 own = digis[place];
        const Sought<Rules> sought(own, window);
        const u32 found = leap_to(from, count, [&](u32 other) { return sought.is_reached(digis[other]); });
        const bool is_near = found < count && channel(found) == sought.channel &&
                             Rules::not_after(window, digi_time(own), time(found));
        connectors[place] = is_near ? found : NOBODY;
        if (!is_near) return found;
        mark<Rules>(found);
        return found + 1;
    }

    // Says that a digi follows another one; of one that is shared, several threads do.
    template <class Rules> __device__ __forceinline__ void mark(u32 place) const {
        const u32 byte = begin + place;
        if constexpr (Rules::SUCCESSORS == Successors::SHARED) {
            atomicOr(reinterpret_cast<u32*>(follows) + byte / 4, 1u << 8 * (byte % 4));
        } else {
            follows[byte] = 1;
        }
    }

    // Links a digi; where digis choose in turn, all of a run if this is its first.
    template <class Rules> __device__ __forceinline__ void link(u32 place, const Window& window) const {
        if constexpr (Rules::SUCCESSORS == Successors::SHARED) {
            link_one<Rules>(place, place + 1, window);
        } else {
            link_run<Rules>(place, window);
        }
    }

    template <class Rules> __device__ __forceinline__ void link_run(u32 place, const Window& window) const {
        if (place > 0 && is_crowded(place - 1, window)) return;
        u32 free = link_one<Rules>(place, place + 1, window);
        for (; place + 1 < count && is_crowded(place, window); place++)
            free = link_one<Rules>(place + 1, max(free, place + 2), window);
    }
};
