// Successors of digis by exponential search: see sts/clusters/connectors.rs.
#pragma once
#include "chain.h"
#include "digi.h"
#include "rules.h"
#include "search.h"

// The first index for which `enough` holds, if it holds for all after it; `end` if for none.
// Exponential search: the number of steps depends on the distance, not on the length of the range.
template <class Enough> __device__ __forceinline__ u32 leap_to(u32 from, u32 end, Enough enough) {
    u32 low = from, high = from, leap = 4;
    for (high += leap; high < end && !enough(high); high += leap) {
        low = high + 1;
        leap *= 2;
    }
    return lower_bound(low, min(high, end), [&](u32 index) { return !enough(index); });
}

// Lower limit that a digi of the next channel has to reach to be not too early to follow another
// one.
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

// With integer times, channel and time are compared as one number.
template <> struct Sought<Exact> {
    u32 channel;
    u64 min_key;

    __device__ __forceinline__ Sought(u64 digi, const Window& window) : channel(digi_channel(digi) + 1) {
        min_key = ((u64)channel << TIME_BITS) + Exact::Earliest(window, digi_time(digi)).min_time;
    }
    __device__ __forceinline__ bool is_reached(u64 digi) const { return digi_key(digi) >= min_key; }
};

// The digis of a side in order of channel and time, and the output arrays of links. Indices count
// from the side's first digi.
struct Followers {
    const u64* digis;
    u32* connectors;
    u32 count;
    // Flags of all sides, and the offset of this side.
    u8* follows;
    u32 begin;

    __device__ __forceinline__ u32 channel(u32 index) const { return digi_channel(digis[index]); }
    __device__ __forceinline__ u32 time(u32 index) const { return digi_time(digis[index]); }

    // True if the digi at the next index is of the same channel, and so near that both may choose
    // the same successor.
    __device__ __forceinline__ bool is_crowded(u32 index, const Window& window) const {
        const u64 digi = digis[index], next = digis[index + 1];
        return digi_channel(digi) == digi_channel(next) && digi_time(next) - digi_time(digi) <= window.crowd_ns;
    }

    // Links a digi with the earliest near one of the next channel, searched from index `from` on;
    // returns the first index that remains for later digis of its channel.
    template <class Rules> __device__ __forceinline__ u32 link_one(u32 index, u32 from, const Window& window) const {
        const u64 digi = digis[index];
        const Sought<Rules> sought(digi, window);
        const u32 found = leap_to(from, count, [&](u32 other) { return sought.is_reached(digis[other]); });
        const bool is_near =
            found < count && channel(found) == sought.channel && Rules::not_after(window, digi_time(digi), time(found));
        connectors[index] = is_near ? found : NO_SUCCESSOR;
        if (!is_near) return found;
        mark<Rules>(found);
        return found + 1;
    }

    // Flags that a digi has a predecessor; several threads may flag a shared one.
    template <class Rules> __device__ __forceinline__ void mark(u32 index) const {
        const u32 byte = begin + index;
        if constexpr (Rules::SUCCESSORS == Successors::SHARED) {
            atomicOr(reinterpret_cast<u32*>(follows) + byte / 4, 1u << 8 * (byte % 4));
        } else {
            follows[byte] = 1;
        }
    }

    // Links a digi; if digis choose one after the other, all of a run if this is its first.
    template <class Rules> __device__ __forceinline__ void link(u32 index, const Window& window) const {
        if constexpr (Rules::SUCCESSORS == Successors::SHARED) {
            link_one<Rules>(index, index + 1, window);
        } else {
            link_run<Rules>(index, window);
        }
    }

    template <class Rules> __device__ __forceinline__ void link_run(u32 index, const Window& window) const {
        if (index > 0 && is_crowded(index - 1, window)) return;
        u32 free = link_one<Rules>(index, index + 1, window);
        for (; index + 1 < count && is_crowded(index, window); index++)
            free = link_one<Rules>(index + 1, max(free, index + 2), window);
    }
};
