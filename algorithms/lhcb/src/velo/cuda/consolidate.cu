// nvcc: -fmad=false
// Tracks of all events, one after the other: their numbers of hits, identifiers, slots and positions.
#include "tracks.h"

namespace velo {

constexpr u32 OFFSET_THREADS = 1024;
constexpr u32 CONSOLIDATE_THREADS = 128;

// Tracks and hits before an event.
struct TrackOffsets {
    u32 tracks, hits;
};

// Totals of a batch: tracks, hits, and whether an event needs more memory.
struct TrackTotals {
    u32 tracks, hits, overflow;
};

// Offsets of the events of a batch, by one block.
struct ComputeOffsets {
    const TrackCounts* counts;
    TrackOffsets* offsets;
    TrackTotals* totals;
    u32 first, count;
};

struct Consolidate {
    Events events;
    const PairHits* pairs;
    HitArrays hits;
    const u32* tracks;
    const u32* lengths;
    const u32* three_hit;
    const TrackCounts* counts;
    const TrackOffsets* offsets;
    // Of each track the number of hits; of each hit its identifier, slot and position.
    u8* track_lengths;
    u32* ids;
    u32* slots;
    float* x;
    float* y;
    float* z;
    u32 shift;
};

struct ConsolidateHalf {
    Events events;
    const PairHits* pairs;
    HalfArrays hits;
    const u32* tracks;
    const u32* lengths;
    const u32* three_hit;
    const TrackCounts* counts;
    const TrackOffsets* offsets;
    u8* track_lengths;
    u32* ids;
    u32* slots;
    u16* x;
    u16* y;
    u16* z;
    u32 shift;
};

__device__ __forceinline__ void compute_offsets(const ComputeOffsets& arguments) {
    __shared__ u32 warp_sums[2][OFFSET_THREADS / 32];
    u32 tracks = 0, hits = 0;
    bool overflow = false;
    for (u32 first = 0; first < arguments.count; first += OFFSET_THREADS) {
        const u32 at = first + threadIdx.x;
        const TrackCounts counts =
            at < arguments.count ? arguments.counts[arguments.first + at] : TrackCounts{0, 0, 0, 0};
        overflow = overflow || counts.overflow != 0;
        u32 all_tracks, all_hits;
        const u32 before_tracks =
            block_exclusive_sum<OFFSET_THREADS>(counts.tracks + counts.three_hit, warp_sums[0], all_tracks);
        const u32 before_hits = block_exclusive_sum<OFFSET_THREADS>(counts.hits, warp_sums[1], all_hits);
        if (at < arguments.count) arguments.offsets[arguments.first + at] = {tracks + before_tracks, hits + before_hits};
        tracks += all_tracks;
        hits += all_hits;
        __syncthreads();
    }
    const bool any = __syncthreads_or(overflow) != 0;
    if (threadIdx.x == 0) *arguments.totals = {tracks, hits, any ? 1u : 0u};
}

// A block for each event. Tracks in groups: a thread finds where the hits of a track begin, then each thread
// copies a hit, of the track that it finds by its index, so that neighbouring threads write next to each other.
template <class Arguments> __device__ __forceinline__ void consolidate(const Arguments& arguments) {
    __shared__ u32 warp_sums[CONSOLIDATE_THREADS / 32];
    __shared__ u32 begins[CONSOLIDATE_THREADS];
    __shared__ PairHits pairs[PAIRS];
    const u32 event = arguments.events.first + blockIdx.x;
    const TrackCounts counts = arguments.counts[event];
    const TrackOffsets offsets = arguments.offsets[event];
    const u32 base = (arguments.events.bases[event] >> arguments.shift) + 64 * event;
    if (threadIdx.x < PAIRS) pairs[threadIdx.x] = arguments.pairs[event * PAIRS + threadIdx.x];
    u32 before = offsets.hits;
    const u32 all = counts.tracks + counts.three_hit;
    for (u32 first = 0; first < all; first += CONSOLIDATE_THREADS) {
        const u32 track = first + threadIdx.x;
        const u32 length = track >= all ? 0 : track < counts.tracks ? arguments.lengths[base + track] : 3;
        u32 total;
        begins[threadIdx.x] = block_exclusive_sum<CONSOLIDATE_THREADS>(length, warp_sums, total);
        if (track < all) arguments.track_lengths[offsets.tracks + track] = (u8)length;
        __syncthreads();
        const u32 group = min(CONSOLIDATE_THREADS, all - first);
        for (u32 hit = threadIdx.x; hit < total; hit += CONSOLIDATE_THREADS) {
            const u32 of_group = lower_bound(0, group, [&](u32 other) { return begins[other] <= hit; }) - 1;
            const u32 of_event = first + of_group, index = hit - begins[of_group];
            const u32 code = of_event < counts.tracks
                ? arguments.tracks[(base + of_event) * MAX_HITS + index]
                : arguments.three_hit[(base + of_event - counts.tracks) * 3 + index];
            const PairHits pair = pairs[code >> INDEX_BITS];
            const u32 of_pair = code & INDEX_MASK, from = pair.first + of_pair, to = before + hit;
            arguments.ids[to] = arguments.hits.ids[from];
            arguments.slots[to] = pair.start + of_pair;
            arguments.x[to] = arguments.hits.x[from];
            arguments.y[to] = arguments.hits.y[from];
            arguments.z[to] = arguments.hits.z[from];
        }
        before += total;
        __syncthreads();
    }
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_compute_offsets, ComputeOffsets, (OFFSET_THREADS), compute_offsets)
KERNEL_INSTANCE(velo_consolidate, Consolidate, (CONSOLIDATE_THREADS), consolidate)
KERNEL_INSTANCE(velo_consolidate_half, ConsolidateHalf, (CONSOLIDATE_THREADS), consolidate)
