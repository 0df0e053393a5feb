// nvcc: -fmad=false
// Search of tracks by triplets of hits: a block for each event.
//
// Of three pairs of modules at a time, the angles of the hits are in shared memory, with the first hit of each
// bin of the angle, and a list of the unused ones. A lane has a first and a second hit of a triplet; the lanes
// of a second hit join their results. A thread continues an entry of the queue. Ballots give entries and tracks
// the order of the experiment's CPU code, so that the result is the same each time.
//
// Hits are named by codes: the pair of modules, and the index in it. Events with a pair of more hits than the shared
// memory of most blocks holds have a launch of their own; those with more than that of any block have another one, with
// what else is in shared memory in that of the device. Where there are more entries than the queue holds, the
// event is marked, and the host starts the batch again with more.
#include "layers.h"
#include "ranker.h"
#include "tracks.h"
#include "tuned/tracks.h"

namespace velo {

constexpr u32 TRACK_THREADS = 128;
constexpr u32 FIRST_HITS_AT_END = 8;
constexpr u32 FIRST_HITS = 4;
constexpr u32 LAST_PAIR = PAIRS - 1;

// Entry of the queue: bits 0 to 23 the track, 24 to 28 its hits, 29 set if a pair was skipped, 30 set for
// a track; codes of the first hit of a triplet, and of the last two.
struct Entry {
    u32 info, first, before_last, last;
};

struct FindTracks {
    Events events;
    const PairHits* pairs;
    AnyHits hits;
    // Of each event, from `bases[event] >> shift` + 64 * event on: two queues, codes and numbers of hits of
    // tracks, tracks of three hits.
    Entry* entries;
    u32* tracks;
    u32* lengths;
    u32* three_hit;
    TrackCounts* counts;
    u32 shift;
    // Hits of a pair of modules that fit into shared memory. Events without a pair of at least `min_hits` are left out.
    u32 layer_capacity, min_hits;
    SearchCuts cuts;
};

// An event whose lists are in device memory: its index, the hits of a pair of modules that fit, and its first 16 bytes
// of the lists, in units of these.
struct LargeEvent {
    u32 event, capacity, offset;
};

// A block for each event.
struct FindTracksInMemory {
    FindTracks search;
    const LargeEvent* large;
    u8* layers;
};

constexpr u32 IS_TRACK = 1u << 30;
constexpr u32 HAS_SKIPPED = 1u << 29;
constexpr u32 TRACK_MASK = (1u << 24) - 1;

struct TrackShared {
    // Index of the first hit of each pair of modules, and the number of hits.
    u32 firsts[PAIRS], counts[PAIRS];
    Ranker<TRACK_THREADS> ranker;
    u32 overflow;
};

// The search in an event, with hits and lists of indices of these types.
template <class Arrays, class Index> class TrackFinder {
    const FindTracks& arguments;
    TrackShared& shared;
    const Layers<Index> layers;
    // Bits of the used hits of all pairs of modules.
    u32* used;
    const u32 event;
    // Capacity of the event's lists, and where they begin.
    const u32 capacity, base;
    u32 queued = 0, current = 0, tracks = 0, three_hit = 0, turn = 0;

    __device__ __forceinline__ Arrays arrays() const { return typed<Arrays>(arguments.hits); }

    // Ranks of the threads with each of some flags, in order of threads. All call it; a barrier is included.
    template <u32 KINDS> __device__ __forceinline__ Ranks<KINDS> ranks(const bool (&flags)[KINDS]) {
        turn = 1 - turn;
        return shared.ranker.ranks(flags, turn);
    }

    __device__ __forceinline__ u32 count(u32 pair) const { return shared.counts[pair]; }

    __device__ __forceinline__ u32* used_of(u32 pair) const { return used + pair * layers.words; }

    __device__ __forceinline__ bool is_used(u32 code) const {
        const u32 hit = code & INDEX_MASK;
        return (used_of(code >> INDEX_BITS)[hit / 32] >> hit % 32 & 1) != 0;
    }

    __device__ __forceinline__ void mark(u32 code) const {
        const u32 hit = code & INDEX_MASK;
        atomicOr(&used_of(code >> INDEX_BITS)[hit / 32], 1u << hit % 32);
    }

    __device__ __forceinline__ Position position_of(u32 pair, u32 hit) const {
        return load_position(arrays(), shared.firsts[pair] + hit);
    }
    __device__ __forceinline__ Position position(u32 code) const { return position_of(code >> INDEX_BITS, code & INDEX_MASK); }

    __device__ __forceinline__ Entry* queue(u32 which) const { return arguments.entries + 2 * base + which * capacity; }

    __device__ __forceinline__ void load_layer(u32 pair) const {
        layers.of(pair).load(arrays().phi + shared.firsts[pair], count(pair), threadIdx.x, TRACK_THREADS);
    }

    // Lists the unused hits of three pairs of modules, from `pair` down: a warp for each. Barriers are included.
    __device__ __forceinline__ void list_unused(u32 pair) const {
        for (u32 kind = threadIdx.x / LANES; kind < 3; kind += TRACK_THREADS / LANES) {
            layers.of(pair - kind).list_unused(used_of(pair - kind), count(pair - kind));
        }
        __syncthreads();
    }

    struct Best {
        float scatter;
        u32 hit;
    };

    // The nearest hit within the tolerance of an angle: of all, or of the unused ones. A hit in the opposite
    // direction counts as inside if the search gets there; used hits end the search as others do.
    __device__ __forceinline__ Best nearest_by_rule(u32 pair, const Line& line, i32 expected, bool only_unused) const {
        const Layer<Index> layer = layers.of(pair);
        const u32 n = count(pair), first_hit = shared.firsts[pair];
        const i32 tolerance = arguments.cuts.phi_tolerance;
        u32 hit = layer.lower_bound_of(first_phi(arguments.cuts, expected));
        Best best = {arguments.cuts.max_scatter, INDEX_MASK};
#pragma unroll HITS_AT_ONCE
        for (u32 step = 0; step < n; step++, hit++) {
            if (hit == n) hit = 0;
            const i32 distance = phi_distance(layer.phi[hit], expected);
            const i32 magnitude = distance < 0 ? -distance : distance;
            if (magnitude > tolerance && distance != -32768) break;
            if (only_unused && is_used(pair << INDEX_BITS | hit)) continue;
            const float scatter = line.scatter(load_position(arrays(), first_hit + hit));
            if (scatter < best.scatter) best = {scatter, hit};
        }
        return best;
    }

    // The nearest of the unused hits in the list.
    __device__ __forceinline__ Best nearest_unused(u32 pair, const Line& line, i32 expected) const {
        const Layer<Index> layer = layers.of(pair);
        const u32 unused = *layer.unused_count, first_hit = shared.firsts[pair];
        const i32 tolerance = arguments.cuts.phi_tolerance;
        u32 at = layer.unused_before(layer.lower_bound_of(first_phi(arguments.cuts, expected)));
        Best best = {arguments.cuts.max_scatter, INDEX_MASK};
#pragma unroll HITS_AT_ONCE
        for (u32 step = 0; step < unused; step++, at++) {
            if (at == unused) at = 0;
            const u32 hit = (u32)layer.unused[at];
            const i32 distance = phi_distance(layer.phi[hit], expected);
            if (distance == -32768) return nearest_by_rule(pair, line, expected, true);
            if (distance > tolerance || distance < -tolerance) break;
            const float scatter = line.scatter(load_position(arrays(), first_hit + hit));
            if (scatter < best.scatter) best = {scatter, hit};
        }
        return best;
    }

    // Makes triplets whose first hit is in this pair of modules.
    template <u32 CANDIDATES> __device__ __forceinline__ void seed(u32 pair) {
        list_unused(pair);
        const Layer<Index> firsts = layers.of(pair), seconds = layers.of(pair - 1);
        const u32 unused_firsts = *firsts.unused_count, unused_seconds = *seconds.unused_count;
        if (unused_firsts == 0 || unused_seconds == 0 || *layers.of(pair - 2).unused_count == 0) return;
        const float* z = arguments.events.geometry;
        const float distance = z[2 * (pair - 2)] - z[2 * pair];
        const u32 work = unused_seconds * CANDIDATES;
        for (u32 begin = 0; begin < work; begin += TRACK_THREADS) {
            const u32 item = begin + threadIdx.x, number = item % CANDIDATES;
            u32 first = 0, second = 0;
            Best best = {arguments.cuts.max_scatter, INDEX_MASK};
            if (item < work && number < unused_firsts) {
                second = (u32)seconds.unused[item / CANDIDATES];
                first = firsts.template unused_around<CANDIDATES>(seconds.phi[second], number, count(pair));
                const Line line(position_of(pair, first), position_of(pair - 1, second));
                best = nearest_unused(pair - 2, line, line.phi_at(distance));
            }
            // The first of the smallest ones of a second hit.
            u32 lane = threadIdx.x % LANES;
            for (u32 step = 1; step < CANDIDATES; step *= 2) {
                const float other = __shfl_xor_sync(FULL_MASK, best.scatter, (int)step);
                const u32 hit = __shfl_xor_sync(FULL_MASK, best.hit, (int)step);
                const u32 other_first = __shfl_xor_sync(FULL_MASK, first, (int)step);
                const u32 other_lane = __shfl_xor_sync(FULL_MASK, lane, (int)step);
                const bool is_found = hit != INDEX_MASK;
                if (is_found && (best.hit == INDEX_MASK || other < best.scatter || (other == best.scatter && other_lane < lane))) {
                    best = {other, hit};
                    first = other_first;
                    lane = other_lane;
                }
            }
            const bool flags[1] = {item < work && number == 0 && best.hit != INDEX_MASK};
            const auto found = ranks(flags);
            if (queued + found.total[0] > capacity) {
                if (threadIdx.x == 0) shared.overflow = 1;
            } else {
                if (flags[0]) {
                    queue(current)[queued + found.rank[0]] = {
                        0, pair << INDEX_BITS | first, (pair - 1) << INDEX_BITS | second, (pair - 2) << INDEX_BITS | best.hit};
                }
                queued += found.total[0];
            }
        }
        __syncthreads();
    }

    // Continues all entries in this pair of modules.
    __device__ __forceinline__ void forward(u32 pair) {
        u32 next = 0;
        const float* z = arguments.events.geometry;
        for (u32 begin = 0; begin < queued; begin += TRACK_THREADS) {
            const u32 index = begin + threadIdx.x;
            const bool is_entry = index < queued;
            Entry entry = {0, 0, 0, 0};
            u32 hit = INDEX_MASK;
            if (is_entry) {
                entry = queue(current)[index];
                const Position from = position(entry.before_last);
                const Line line(from, position(entry.last));
                const u32 id = id_of(arrays(), shared.firsts[entry.before_last >> INDEX_BITS] + (entry.before_last & INDEX_MASK));
                const u32 side = id >> 20 & 1;
                hit = nearest_by_rule(pair, line, line.phi_at(z[2 * pair + side] - from.z), false).hit;
            }
            const bool is_found = hit != INDEX_MASK, is_track = (entry.info & IS_TRACK) != 0;
            const u32 length = is_track ? (entry.info >> 24 & 31) + 1 : 4;
            const bool is_new = is_entry && is_found && !is_track;
            const bool has_skipped = (entry.info & HAS_SKIPPED) != 0;
            const bool continues = is_entry && (is_found ? length < MAX_HITS : !has_skipped);
            const bool flags[3] = {continues, is_new, is_entry && !is_found && has_skipped && !is_track};
            const auto found = ranks(flags);
            const bool fits = next + found.total[0] <= capacity && tracks + found.total[1] <= capacity &&
                three_hit + found.total[2] <= capacity;
            if (!fits) {
                if (threadIdx.x == 0) shared.overflow = 1;
                break;
            }
            const u32 track = is_new ? tracks + found.rank[1] : entry.info & TRACK_MASK;
            if (is_entry && is_found) {
                const u32 code = pair << INDEX_BITS | hit;
                mark(code);
                u32* codes = arguments.tracks + (base + track) * MAX_HITS;
                if (is_new) {
                    codes[0] = entry.first;
                    codes[1] = entry.before_last;
                    codes[2] = entry.last;
                    mark(entry.first);
                    mark(entry.before_last);
                    mark(entry.last);
                }
                codes[length - 1] = code;
                arguments.lengths[base + track] = length;
                entry = {IS_TRACK | length << 24 | track, 0, entry.last, code};
            } else {
                entry.info |= HAS_SKIPPED;
            }
            if (continues) queue(1 - current)[next + found.rank[0]] = entry;
            if (flags[2]) add_three_hit(three_hit + found.rank[2], entry);
            next += found.total[0];
            tracks += found.total[1];
            three_hit += found.total[2];
        }
        queued = next;
        current = 1 - current;
        __syncthreads();
    }

    __device__ __forceinline__ void add_three_hit(u32 index, const Entry& entry) const {
        u32* codes = arguments.three_hit + (base + index) * 3;
        codes[0] = entry.first;
        codes[1] = entry.before_last;
        codes[2] = entry.last;
    }

    // Triplets that are still in the queue.
    __device__ __forceinline__ void end_queue() {
        for (u32 begin = 0; begin < queued; begin += TRACK_THREADS) {
            const u32 index = begin + threadIdx.x;
            const Entry entry = index < queued ? queue(current)[index] : Entry{IS_TRACK, 0, 0, 0};
            const bool flags[1] = {(entry.info & IS_TRACK) == 0};
            const auto found = ranks(flags);
            if (three_hit + found.total[0] > capacity) {
                if (threadIdx.x == 0) shared.overflow = 1;
                break;
            }
            if (flags[0]) add_three_hit(three_hit + found.rank[0], entry);
            three_hit += found.total[0];
        }
        __syncthreads();
    }

    // Keeps the tracks of three unused hits on a straight line; returns how many.
    __device__ __forceinline__ u32 filter() {
        u32 accepted = 0;
        for (u32 begin = 0; begin < three_hit; begin += TRACK_THREADS) {
            const u32 index = begin + threadIdx.x;
            u32 codes[3] = {0, 0, 0};
            bool is_accepted = index < three_hit;
            if (is_accepted) {
                Position hits[3];
                for (u32 hit = 0; hit < 3; hit++) {
                    codes[hit] = arguments.three_hit[(base + index) * 3 + hit];
                    hits[hit] = position(codes[hit]);
                    is_accepted = is_accepted && !is_used(codes[hit]);
                }
                is_accepted = is_accepted && chi2(hits) < 20.0f;
            }
            const bool flags[1] = {is_accepted};
            // A barrier in it: all have read before any writes.
            const auto found = ranks(flags);
            if (is_accepted) {
                u32* to = arguments.three_hit + (base + accepted + found.rank[0]) * 3;
                for (u32 hit = 0; hit < 3; hit++) to[hit] = codes[hit];
            }
            accepted += found.total[0];
            __syncthreads();
        }
        return accepted;
    }

  public:
    // The lists have this capacity, and are in `memory`.
    __device__ __forceinline__ TrackFinder(
        const FindTracks& arguments, TrackShared& shared, unsigned char* memory, u32 layer_capacity, u32 event)
        : arguments(arguments), shared(shared), layers(memory, layer_capacity), used(layers.end()), event(event),
          capacity((arguments.events.bases[event + 1] >> arguments.shift) - (arguments.events.bases[event] >> arguments.shift) + 64),
          base((arguments.events.bases[event] >> arguments.shift) + 64 * event) {}

    // Loads the numbers of hits of all pairs of modules; returns the largest.
    __device__ __forceinline__ u32 load_counts() const {
        const u32 lane = threadIdx.x % LANES;
        const PairHits pair = lane < PAIRS ? arguments.pairs[event * PAIRS + lane] : PairHits{0, 0, 0, 0};
        if (threadIdx.x < PAIRS) {
            shared.firsts[lane] = pair.first;
            shared.counts[lane] = pair.count;
        }
        return warp_max(pair.count);
    }

    // Finds the tracks; returns their numbers.
    __device__ __forceinline__ TrackCounts find() {
        for (u32 word = threadIdx.x; word < PAIRS * layers.words; word += TRACK_THREADS) used[word] = 0;
        if (threadIdx.x == 0) shared.overflow = 0;
        __syncthreads();
        for (u32 pair = LAST_PAIR; pair > LAST_PAIR - 3; pair--) load_layer(pair);
        __syncthreads();
        seed<FIRST_HITS_AT_END>(LAST_PAIR);
        for (u32 pair = LAST_PAIR - 1; pair >= 2; pair--) {
            // In the memory of the pair of modules before.
            load_layer(pair - 2);
            __syncthreads();
            forward(pair - 2);
            seed<FIRST_HITS>(pair);
        }
        end_queue();
        const u32 accepted = filter();
        if (shared.overflow != 0) return {0, 0, 0, 1};
        u32 hits = 0;
        for (u32 track = threadIdx.x; track < tracks; track += TRACK_THREADS) hits += arguments.lengths[base + track];
        return {tracks, accepted, shared.ranker.sum(hits) + 3 * accepted, 0};
    }
};

template <class Arrays> __device__ __forceinline__ void find_tracks(const FindTracks& arguments) {
    SMEM_DYN(unsigned char, memory);
    __shared__ TrackShared shared;
    const u32 event = arguments.events.first + blockIdx.x;
    TrackFinder<Arrays, i16> finder(arguments, shared, memory, arguments.layer_capacity, event);
    const u32 most = finder.load_counts();
    // Whole blocks.
    if (most < arguments.min_hits) return;
    const TrackCounts counts = most > arguments.layer_capacity ? TrackCounts{0, 0, 0, 1} : finder.find();
    if (threadIdx.x == 0) arguments.counts[event] = counts;
}

template <class Arrays> __device__ __forceinline__ void find_tracks_in_memory(const FindTracksInMemory& arguments) {
    __shared__ TrackShared shared;
    const LargeEvent large = arguments.large[blockIdx.x];
    unsigned char* memory = arguments.layers + 16 * (u64)large.offset;
    const FindTracks& search = arguments.search;
    TrackFinder<Arrays, i32> finder(search, shared, memory, large.capacity, large.event);
    // Whole blocks.
    if (finder.load_counts() < search.min_hits) return;
    const TrackCounts counts = finder.find();
    if (threadIdx.x == 0) search.counts[large.event] = counts;
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_find_tracks, FindTracks, (TRACK_THREADS, TRACK_BLOCKS), find_tracks<HitArrays>)
KERNEL_INSTANCE(velo_find_half_tracks, FindTracks, (TRACK_THREADS, TRACK_BLOCKS), find_tracks<HalfArrays>)
KERNEL_INSTANCE(velo_find_tracks_in_memory, FindTracksInMemory, (TRACK_THREADS, 1), find_tracks_in_memory<HitArrays>)
KERNEL_INSTANCE(velo_find_half_tracks_in_memory, FindTracksInMemory, (TRACK_THREADS, 1), find_tracks_in_memory<HalfArrays>)
