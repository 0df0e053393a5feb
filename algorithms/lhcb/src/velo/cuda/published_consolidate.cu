// nvcc: -fmad=false
// Numbers of hits of the tracks of a batch, and their hits one after the other: a block for each event.
#include "published_tracks.h"

namespace velo::published {

constexpr u32 TRACKS_THREADS = 256;

// Tracks before each event: of four and more hits, and accepted ones of three.
struct CountHits {
    Events events;
    const PairHits* pairs;
    SearchLists lists;
    const u32* track_offsets;
    const u32* accepted_offsets;
    // Of each track.
    u32* hit_counts;
};

struct ConsolidateTracks {
    Events events;
    const PairHits* pairs;
    HitArrays hits;
    SearchLists lists;
    const u32* track_offsets;
    const u32* accepted_offsets;
    // Index of the first hit of each track.
    const u32* hit_offsets;
    u32* ids;
    u32* slots;
    float* x;
    float* y;
    float* z;
};

__device__ __forceinline__ void count_hits(const CountHits& arguments) {
    const SearchRange range = range_of(arguments.events, arguments.pairs, arguments.lists, blockIdx.x);
    const u32 tracks = arguments.lists.track_counts[blockIdx.x], accepted = arguments.lists.accepted_counts[blockIdx.x];
    u32* counts = arguments.hit_counts + arguments.track_offsets[blockIdx.x] + arguments.accepted_offsets[blockIdx.x];
    for (u32 track = threadIdx.x; track < tracks; track += TRACKS_THREADS) {
        counts[track] = arguments.lists.lengths[range.first + track];
    }
    for (u32 track = threadIdx.x; track < accepted; track += TRACKS_THREADS) counts[tracks + track] = 3;
}

__device__ __forceinline__ void copy_hits(
    const ConsolidateTracks& arguments, const SearchRange& range, const u32* slots, u32 count, u32 first) {
    for (u32 hit = 0; hit < count; hit++) {
        const u32 from = range.first_hit + slots[hit], to = first + hit;
        const auto copied = hit_at(arguments.hits, from);
        arguments.ids[to] = copied.id;
        arguments.slots[to] = slots[hit];
        arguments.x[to] = copied.x;
        arguments.y[to] = copied.y;
        arguments.z[to] = copied.z;
    }
}

__device__ __forceinline__ void consolidate_tracks(const ConsolidateTracks& arguments) {
    const SearchLists& lists = arguments.lists;
    const SearchRange range = range_of(arguments.events, arguments.pairs, lists, blockIdx.x);
    const u32 tracks = lists.track_counts[blockIdx.x], all = tracks + lists.accepted_counts[blockIdx.x];
    const u32* offsets = arguments.hit_offsets + arguments.track_offsets[blockIdx.x] + arguments.accepted_offsets[blockIdx.x];
    for (u32 track = threadIdx.x; track < all; track += TRACKS_THREADS) {
        const bool is_long = track < tracks;
        const u32 index = range.first + (is_long ? track : track - tracks);
        const u32* slots = is_long ? lists.tracks + index * MAX_HITS : lists.accepted + index * 3;
        copy_hits(arguments, range, slots, is_long ? lists.lengths[index] : 3, offsets[track]);
    }
}

}  // namespace velo::published

using namespace velo::published;

KERNEL_INSTANCE(velo_published_count_hits, CountHits, (TRACKS_THREADS), count_hits)
KERNEL_INSTANCE(velo_published_consolidate, ConsolidateTracks, (TRACKS_THREADS), consolidate_tracks)
