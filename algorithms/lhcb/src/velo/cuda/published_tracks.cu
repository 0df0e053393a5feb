// nvcc: -fmad=false
// The search by triplets as the experiment has it: a block for each event, hits in device memory. A thread takes a
// second hit of a triplet, or an entry of a circular queue. Atomics give second hits, entries, tracks and tracks of
// three hits their indices, so their order differs from run to run; the set of tracks does not.
//
// Lists are as long as the original's. Where it would write beyond them the event is marked, and the host starts
// the search again with longer ones.
#include "published_tracks.h"

namespace velo::published {

constexpr u32 SEARCH_THREADS = 64;
constexpr u32 FILTER_THREADS = 128;
constexpr u32 FIRST_HITS_AT_END = 8;
constexpr u32 FIRST_HITS = 4;
constexpr u32 LAST_PAIR = PAIRS - 1;
// Hits of a pair of modules that are looked at for unused ones at a time.
constexpr u32 SECOND_HITS = 512;

// Entry of the queue: the position of a triplet's first entry, or the index of a track.
constexpr u32 IS_SEED = 1u << 31;
constexpr u32 HAS_SKIPPED = 1u << 28;
constexpr u32 NUMBER_MASK = HAS_SKIPPED - 1;
constexpr u32 NO_TRACK = NUMBER_MASK;

struct SearchByTriplet {
    Events events;
    const PairHits* pairs;
    HitArrays hits;
    SearchLists lists;
    SearchCuts cuts;
};

struct FilterThreeHits {
    Events events;
    const PairHits* pairs;
    HitArrays hits;
    SearchLists lists;
};

struct SearchShared {
    PairHits pairs[PAIRS];
    u32 second_hits[SECOND_HITS];
    u32 second_count, queued, tracks, three_hit;
    u32 needs_more, exceeds;
};

// A hit of the smallest scatter so far, with the first hit of its line.
struct Best {
    float scatter;
    u32 first, hit;
};

class TripletSearch {
    const SearchByTriplet& arguments;
    const SearchLists& lists;
    SearchShared& shared;
    const SearchRange range;
    u32* const used;
    u32* const entries;
    u32* const seeds;

    __device__ __forceinline__ i32 phi(u32 slot) const { return arguments.hits.phi[range.first_hit + slot]; }

    __device__ __forceinline__ Position position(u32 slot) const {
        return load_position(arguments.hits, range.first_hit + slot);
    }

    __device__ __forceinline__ bool is_used(u32 slot) const { return (used[slot / 32] >> slot % 32 & 1) != 0; }
    __device__ __forceinline__ void mark(u32 slot) const { atomicOr(&used[slot / 32], 1u << slot % 32); }

    __device__ __forceinline__ Best none() const { return {arguments.cuts.max_scatter, 0, 0}; }
    __device__ __forceinline__ bool is_found(const Best& best) const { return best.scatter < arguments.cuts.max_scatter; }

    // Index of the first hit of a pair of modules whose angle is not smaller.
    __device__ __forceinline__ u32 first_not_below(const PairHits& pair, i32 angle) const {
        return lower_bound(0, pair.count, [&](u32 hit) { return phi(pair.start + hit) < angle; });
    }

    // Looks for a hit of smaller scatter in the window of a line in a pair of modules. The window begins where the
    // tolerance does, and ends at the first hit outside; a hit in the opposite direction counts as inside.
    template <bool UNUSED>
    __device__ __forceinline__ void look_in_window(
        const PairHits& pair, const Line& line, i32 expected, u32 first, Best& best) const {
        const u32 begin = first_not_below(pair, first_phi(arguments.cuts, expected));
        const i32 tolerance = arguments.cuts.phi_tolerance;
        for (u32 step = 0; step < pair.count; step++) {
            const u32 index = begin + step, slot = pair.start + (index < pair.count ? index : index - pair.count);
            const i32 distance = phi_distance(phi(slot), expected);
            const i32 magnitude = distance < 0 ? -distance : distance;
            if (magnitude > tolerance && distance != -32768) break;
            if (UNUSED && is_used(slot)) continue;
            const float scatter = line.scatter(position(slot));
            if (scatter < best.scatter) best = {scatter, first, slot};
        }
    }

    // Unused hits next to an angle, above and below it alternately; returns their number.
    template <u32 MAX> __device__ __forceinline__ u32 first_hits(const PairHits& pair, i32 angle, u32* found) const {
        const i32 middle = (i32)first_not_below(pair, angle), count = (i32)pair.count;
        u32 length = 0;
        for (i32 step = 0; step < count && length < MAX; step++) {
            i32 index = step % 2 == 1 ? middle + (step + 1) / 2 : middle - step / 2;
            if (index >= count) index -= count;
            if (index < 0) index += count;
            const u32 slot = pair.start + (u32)index;
            if (!is_used(slot)) found[length++] = slot;
        }
        return length;
    }

    // Stores the entry of a position in the queue, unless that is too short; `oldest` is the position of the first
    // entry that may still be needed.
    __device__ __forceinline__ bool store_entry(u32 position, u32 oldest, u32 entry) const {
        if (position - oldest >= QUEUE) atomicOr(&shared.exceeds, 1u);
        if (position - oldest >= lists.queue) {
            atomicOr(&shared.needs_more, 1u);
            return false;
        }
        entries[position % lists.queue] = entry;
        return true;
    }

    // The triplet of a second hit.
    template <u32 MAX>
    __device__ __forceinline__ void find_triplet(u32 pair, u32 second, float distance, u32 oldest) const {
        u32 firsts[MAX];
        const PairHits& third_pair = shared.pairs[pair - 2];
        const u32 count = first_hits<MAX>(shared.pairs[pair], phi(second), firsts);
        const Position to = position(second);
        Best best = none();
        for (u32 i = 0; i < count; i++) {
            const Line line(position(firsts[i]), to);
            look_in_window<true>(third_pair, line, line.phi_at(distance), firsts[i], best);
        }
        if (!is_found(best)) return;
        const u32 at = atomicAdd(&shared.queued, 1u);
        if (!store_entry(at, oldest, IS_SEED | at)) return;
        u32* seed = seeds + at % lists.queue * 3;
        seed[0] = best.first;
        seed[1] = second;
        seed[2] = best.hit;
    }

    // Makes triplets whose first hit is in this pair of modules. All threads take part.
    template <u32 MAX> __device__ __forceinline__ void seed(u32 pair, u32 oldest) const {
        const PairHits& seconds = shared.pairs[pair - 1];
        const float* z = arguments.events.geometry;
        const float distance = z[2 * (pair - 2)] - z[2 * pair];
        for (u32 begin = 0; begin < seconds.count; begin += SECOND_HITS) {
            if (threadIdx.x == 0) shared.second_count = 0;
            __syncthreads();
            const u32 end = min(begin + SECOND_HITS, seconds.count);
            for (u32 hit = begin + threadIdx.x; hit < end; hit += SEARCH_THREADS) {
                const u32 slot = seconds.start + hit;
                if (!is_used(slot)) shared.second_hits[atomicAdd(&shared.second_count, 1u)] = slot;
            }
            __syncthreads();
            for (u32 i = threadIdx.x; i < shared.second_count; i += SEARCH_THREADS) {
                find_triplet<MAX>(pair, shared.second_hits[i], distance, oldest);
            }
            __syncthreads();
        }
    }

    __device__ __forceinline__ void add_three_hit(const u32* seed) const {
        const u32 index = atomicAdd(&shared.three_hit, 1u);
        if (index >= range.capacity) return;
        u32* to = lists.three_hit + (range.first + index) * 3;
        for (u32 hit = 0; hit < 3; hit++) to[hit] = seed[hit];
    }

    // Appends a hit to a triplet or a track; returns the index of the track, or `NO_TRACK` if it ends.
    __device__ __forceinline__ u32 extend(u32 entry, const u32* seed, u32 slot) const {
        mark(slot);
        u32 track = entry & NUMBER_MASK, length = 3;
        if ((entry & IS_SEED) != 0) {
            track = atomicAdd(&shared.tracks, 1u);
            for (u32 hit = 0; hit < 3; hit++) mark(seed[hit]);
            if (track >= range.capacity) return NO_TRACK;
            u32* slots = lists.tracks + (range.first + track) * MAX_HITS;
            for (u32 hit = 0; hit < 3; hit++) slots[hit] = seed[hit];
        } else {
            length = lists.lengths[range.first + track];
        }
        lists.tracks[(range.first + track) * MAX_HITS + length] = slot;
        lists.lengths[range.first + track] = length + 1;
        return length + 1 < MAX_HITS ? track : NO_TRACK;
    }

    // Continues the entries of a range in this pair of modules.
    __device__ __forceinline__ void forward(u32 pair, u32 begin, u32 end) const {
        const PairHits& hits = shared.pairs[pair];
        const float* z = arguments.events.geometry;
        for (u32 at = begin + threadIdx.x; at < end; at += SEARCH_THREADS) {
            const u32 entry = entries[at % lists.queue], number = entry & NUMBER_MASK;
            const bool is_seed = (entry & IS_SEED) != 0;
            const u32* seed = seeds + number % lists.queue * 3;
            const u32* track = lists.tracks + (range.first + number) * MAX_HITS;
            const u32* last = is_seed ? seed + 1 : track + lists.lengths[range.first + number] - 2;
            const u32 from = last[0];
            const Position start = position(from);
            const Line line(start, position(last[1]));
            const u32 side = id_of(arguments.hits, range.first_hit + from) >> 20 & 1;
            Best best = none();
            look_in_window<false>(hits, line, line.phi_at(z[2 * pair + side] - start.z), from, best);
            if (is_found(best)) {
                const u32 continued = extend(entry, seed, best.hit);
                if (continued != NO_TRACK) store_entry(atomicAdd(&shared.queued, 1u), begin, continued);
            } else if ((entry & HAS_SKIPPED) == 0) {
                store_entry(atomicAdd(&shared.queued, 1u), begin, entry | HAS_SKIPPED);
            } else if (is_seed) {
                add_three_hit(seed);
            }
        }
    }

    // The number of entries that were ever queued. All threads call it after a barrier; another is included.
    __device__ __forceinline__ u32 queued() const {
        const u32 queued = shared.queued;
        __syncthreads();
        return queued;
    }

    // True if the lists are too short for what was found so far. All threads call it after a barrier.
    __device__ __forceinline__ bool needs_more() const {
        return shared.needs_more != 0 || shared.tracks > range.capacity || shared.three_hit > range.capacity;
    }

    __device__ __forceinline__ void prepare() const {
        for (u32 word = threadIdx.x; word < (range.slots + 31) / 32; word += SEARCH_THREADS) used[word] = 0;
        if (threadIdx.x < PAIRS) {
            shared.pairs[threadIdx.x] = arguments.pairs[(arguments.events.first + blockIdx.x) * PAIRS + threadIdx.x];
        }
        if (threadIdx.x == 0) {
            shared.queued = shared.tracks = shared.three_hit = 0;
            shared.needs_more = shared.exceeds = 0;
        }
        __syncthreads();
    }

    __device__ __forceinline__ void search() const {
        // The first entry to be continued, and the first of the last triplets.
        u32 begin = 0, last_seeds = 0;
        seed<FIRST_HITS_AT_END>(LAST_PAIR, 0);
        __syncthreads();
        for (u32 pair = LAST_PAIR - 1; pair >= 2; pair--) {
            const u32 end = queued();
            forward(pair - 2, begin, end);
            begin = end;
            __syncthreads();
            const u32 first_seed = queued();
            if (needs_more()) return;
            // Triplets that have skipped a pair of modules are still needed.
            seed<FIRST_HITS>(pair, last_seeds);
            last_seeds = first_seed;
            __syncthreads();
            if (shared.needs_more != 0) return;
        }
        const u32 end = queued();
        for (u32 at = begin + threadIdx.x; at < end; at += SEARCH_THREADS) {
            const u32 entry = entries[at % lists.queue];
            if ((entry & IS_SEED) != 0) add_three_hit(seeds + (entry & NUMBER_MASK) % lists.queue * 3);
        }
        __syncthreads();
    }

  public:
    __device__ __forceinline__ TripletSearch(const SearchByTriplet& arguments, SearchShared& shared)
        : arguments(arguments), lists(arguments.lists), shared(shared),
          range(range_of(arguments.events, arguments.pairs, arguments.lists, blockIdx.x)),
          used(lists.used + range.first_used), entries(lists.entries + blockIdx.x * lists.queue),
          seeds(lists.seeds + 3 * blockIdx.x * lists.queue) {}

    __device__ __forceinline__ void find() const {
        prepare();
        search();
        if (threadIdx.x != 0) return;
        const bool are_few = shared.tracks <= range.original_capacity && shared.three_hit <= range.original_capacity;
        lists.exceeds[arguments.events.first + blockIdx.x] =
            shared.exceeds != 0 || !are_few || range.slots > MAX_SLOTS ? 1 : 0;
        lists.track_counts[blockIdx.x] = needs_more() ? NEEDS_MORE : shared.tracks;
        lists.three_hit_counts[blockIdx.x] = needs_more() ? 0 : shared.three_hit;
    }
};

__device__ __forceinline__ void search_by_triplet(const SearchByTriplet& arguments) {
    __shared__ SearchShared shared;
    TripletSearch(arguments, shared).find();
}

// Accepts the tracks of three unused hits on a straight line.
__device__ __forceinline__ void filter_three_hits(const FilterThreeHits& arguments) {
    __shared__ u32 accepted;
    const SearchLists& lists = arguments.lists;
    const SearchRange range = range_of(arguments.events, arguments.pairs, lists, blockIdx.x);
    if (threadIdx.x == 0) accepted = 0;
    __syncthreads();
    const u32* used = lists.used + range.first_used;
    const u32 count = lists.three_hit_counts[blockIdx.x];
    for (u32 i = threadIdx.x; i < count; i += FILTER_THREADS) {
        const u32* slots = lists.three_hit + (range.first + i) * 3;
        Position hits[3];
        bool is_free = true;
        for (u32 hit = 0; hit < 3; hit++) {
            is_free = is_free && (used[slots[hit] / 32] >> slots[hit] % 32 & 1) == 0;
            hits[hit] = load_position(arguments.hits, range.first_hit + slots[hit]);
        }
        if (!is_free || !(chi2(hits) < 20.0f)) continue;
        u32* to = lists.accepted + (range.first + atomicAdd(&accepted, 1u)) * 3;
        for (u32 hit = 0; hit < 3; hit++) to[hit] = slots[hit];
    }
    __syncthreads();
    if (threadIdx.x == 0) lists.accepted_counts[blockIdx.x] = accepted;
}

}  // namespace velo::published

using namespace velo::published;

KERNEL_INSTANCE(velo_published_search, SearchByTriplet, (SEARCH_THREADS, 1), search_by_triplet)
KERNEL_INSTANCE(velo_published_filter, FilterThreeHits, (FILTER_THREADS), filter_three_hits)
