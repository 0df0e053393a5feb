// Lists of the experiment's search for tracks.
// nvcc: -fmad=false
#pragma once
#include "published.h"
#include "tracks.h"

namespace velo::published {

// Capacities of the original: of tracks of each kind a share of the slots, but for a few events ten each, and
// entries of the queue in flight.
constexpr u32 MIN_TRACKS_PER_EVENT = 10;
constexpr u32 QUEUE = 2048;
constexpr u32 MAX_SLOTS = 65536;

// Lists of the events of a batch. Hits are named by their slots in the event.
struct SearchLists {
    // Bits of the used hits.
    u32* used;
    // Of each event a circular queue: entries, and the hits of triplets by the position of their first entry.
    u32* entries;
    u32* seeds;
    // Slots of the hits of tracks, and their numbers; slots of triplets without a fourth hit, and accepted ones.
    u32* tracks;
    u32* lengths;
    u32* three_hit;
    u32* accepted;
    // Numbers of each event; `NEEDS_MORE` tracks if there is too little memory.
    u32* track_counts;
    u32* three_hit_counts;
    u32* accepted_counts;
    // Of each event of all batches, 1 if it exceeds the original's capacities.
    u32* exceeds;
    // Index of the first hit of the batch, its slots, and the capacity of a queue.
    u32 first_hit, slots, queue;
    // 1 if lists have an entry for each slot, 0 if they are as long as the original's.
    u32 is_enlarged;
};

constexpr u32 NEEDS_MORE = 0xffffffffu;

// An event's share of the lists, and what it would be in the original.
struct SearchRange {
    // Index of the first hit, and their number.
    u32 first_hit, slots;
    u32 first, capacity, original_capacity;
    // Index of the first word of its used bits.
    u32 first_used;
};

__device__ __forceinline__ u32 share_of(u32 slots) { return (u32)(0.34f * (float)slots); }

__device__ __forceinline__ SearchRange range_of(const Events& events, const PairHits* pairs, const SearchLists& lists, u32 index) {
    const u32 event = events.first + index;
    const u32 first_hit = pairs[event * PAIRS].first;
    const u32 begin = first_hit - lists.first_hit;
    const bool is_last = index + 1 == events.count;
    const u32 end = is_last ? lists.slots : pairs[(event + 1) * PAIRS].first - lists.first_hit;
    const u32 first = share_of(begin);
    const u32 next = is_last ? max(MIN_TRACKS_PER_EVENT * events.count, share_of(end)) : share_of(end);
    const bool is_enlarged = lists.is_enlarged != 0;
    return {
        first_hit,
        end - begin,
        is_enlarged ? begin : first,
        is_enlarged ? end - begin : next - first,
        next - first,
        begin / 32 + index,
    };
}

}  // namespace velo::published
