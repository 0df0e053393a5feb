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
    AnyHits hits;
    const u32* tracks;
    const u32* lengths;
    const u32* three_hit;
    const TrackCounts* counts;
    const TrackOffsets* offsets;
    // Of each track the number of hits; of each hit its identifier, slot and position, with coordinates of the type
    // that those of the hits have.
    u8* track_lengths;
    u32* ids;
    u32* slots;
    u8* x;
    u8* y;
    u8* z;
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

// Hits of the tracks of a warp, one track for each lane.
constexpr u32 WARP_HITS = MAX_HITS * LANES;

// A block for each event. A thread finds where the hits of its track begin, and marks that bit; then each lane
// of a warp copies a hit, whose track it finds by counting bits, so that neighbouring lanes write next to each
// other.
template <class Arrays> __device__ __forceinline__ void consolidate(const Consolidate& arguments) {
    const Arrays arrays = typed<Arrays>(arguments.hits);
    typedef decltype(arrays.hits->x) Number;
    constexpr u32 WARPS = CONSOLIDATE_THREADS / LANES;
    __shared__ u32 warp_sums[WARPS];
    __shared__ u32 all_begins[WARPS][LANES];
    __shared__ u32 all_marks[WARPS][WARP_HITS / 32];
    __shared__ PairHits pairs[PAIRS];
    const u32 event = arguments.events.first + blockIdx.x;
    const TrackCounts counts = arguments.counts[event];
    const TrackOffsets offsets = arguments.offsets[event];
    const u32 base = (arguments.events.bases[event] >> arguments.shift) + 64 * event;
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    u32* begins = all_begins[warp];
    u32* marks = all_marks[warp];
    if (threadIdx.x < PAIRS) pairs[threadIdx.x] = arguments.pairs[event * PAIRS + threadIdx.x];
    u32 before = offsets.hits;
    const u32 all = counts.tracks + counts.three_hit;
    for (u32 first = 0; first < all; first += CONSOLIDATE_THREADS) {
        const u32 track = first + threadIdx.x;
        const u32 length = track >= all ? 0 : track < counts.tracks ? arguments.lengths[base + track] : 3;
        for (u32 word = lane; word < WARP_HITS / 32; word += LANES) marks[word] = 0;
        u32 total;
        const u32 begin = block_exclusive_sum<CONSOLIDATE_THREADS>(length, warp_sums, total);
        const u32 warp_begin = __shfl_sync(FULL_MASK, begin, 0);
        const u32 warp_hits = __shfl_sync(FULL_MASK, begin + length, LANES - 1) - warp_begin;
        begins[lane] = begin - warp_begin;
        if (track < all) {
            arguments.track_lengths[offsets.tracks + track] = (u8)length;
            const u32 bit = begin - warp_begin;
            atomicOr(&marks[bit / 32], 1u << bit % 32);
        }
        __syncwarp();
        u32 tracks_before = 0;
        for (u32 hit = lane; hit < warp_hits; hit += LANES) {
            // Tracks that begin in the words before this step's, and up to this hit.
            u32 begun = tracks_before;
            for (u32 word = hit / LANES * (LANES / 32); word <= hit / 32; word++) {
                begun += (u32)__popc(marks[word] & (word < hit / 32 ? ~0u : 0xffffffffu >> (31 - hit % 32)));
            }
            for (u32 word = 0; word < LANES / 32; word++) tracks_before += (u32)__popc(marks[hit / LANES * (LANES / 32) + word]);
            const u32 of_warp = begun - 1, of_event = first + warp * LANES + of_warp, index = hit - begins[of_warp];
            const u32 code = of_event < counts.tracks
                ? arguments.tracks[(base + of_event) * MAX_HITS + index]
                : arguments.three_hit[(base + of_event - counts.tracks) * 3 + index];
            const PairHits pair = pairs[code >> INDEX_BITS];
            const u32 of_pair = code & INDEX_MASK, from = pair.first + of_pair, to = before + warp_begin + hit;
            const auto copied = hit_at(arrays, from);
            arguments.ids[to] = copied.id;
            arguments.slots[to] = pair.start + of_pair;
            reinterpret_cast<Number*>(arguments.x)[to] = copied.x;
            reinterpret_cast<Number*>(arguments.y)[to] = copied.y;
            reinterpret_cast<Number*>(arguments.z)[to] = copied.z;
        }
        before += total;
        __syncthreads();
    }
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_compute_offsets, ComputeOffsets, (OFFSET_THREADS), compute_offsets)
KERNEL_INSTANCE(velo_consolidate, Consolidate, (CONSOLIDATE_THREADS), consolidate<HitArrays>)
KERNEL_INSTANCE(velo_consolidate_half, Consolidate, (CONSOLIDATE_THREADS), consolidate<HalfArrays>)
