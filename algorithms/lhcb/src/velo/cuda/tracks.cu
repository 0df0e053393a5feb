// nvcc: -fmad=false
// Search of tracks by triplets of hits: a block for each event.
//
// Hits of three pairs of modules at a time are in shared memory, with a list of the unused ones of each.
// A lane has a first and a second hit of a triplet; the lanes of a second hit join their results. A thread
// continues an entry of the queue. Prefix sums over the block give entries and tracks the order of the
// experiment's CPU code, so that the result is the same each time.
//
// Hits are named by codes: the pair of modules, and the index in it. Where a pair has more hits than the
// shared memory, or there are more entries than the queue holds, the event is marked, and the host starts
// the batch again with more.
#include "tracks.h"

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
    HitArrays hits;
    // Of each event, from `bases[event] >> shift` + 64 * event on: two queues, codes and numbers of hits of
    // tracks, tracks of three hits.
    Entry* entries;
    u32* tracks;
    u32* lengths;
    u32* three_hit;
    TrackCounts* counts;
    u32 shift, layer_capacity, used_words;
};

struct FindHalfTracks {
    Events events;
    const PairHits* pairs;
    HalfArrays hits;
    Entry* entries;
    u32* tracks;
    u32* lengths;
    u32* three_hit;
    TrackCounts* counts;
    u32 shift, layer_capacity, used_words;
};

constexpr u32 IS_TRACK = 1u << 30;
constexpr u32 HAS_SKIPPED = 1u << 29;
constexpr u32 TRACK_MASK = (1u << 24) - 1;

struct TrackShared {
    PairHits pairs[PAIRS];
    u32 first_used[PAIRS];
    u32 warp_counts[3][TRACK_THREADS / 32];
    u32 overflow;
};

// Hits of a pair of modules in shared memory, and the indices of the unused ones.
struct Layer {
    float* x;
    float* y;
    float* z;
    i16* phi;
    u16* unused;
};

template <class Arguments> class TrackFinder {
    const Arguments& arguments;
    TrackShared& shared;
    unsigned char* memory;
    u32* used;
    const u32 event;
    // Capacity of the event's lists, and where they begin.
    const u32 capacity, base;
    u32 queued = 0, current = 0, tracks = 0, three_hit = 0;

    __device__ __forceinline__ Layer layer(u32 pair) const {
        const u32 hits = arguments.layer_capacity;
        float* numbers = reinterpret_cast<float*>(memory + (pair % 3) * hits * 16);
        i16* phi = reinterpret_cast<i16*>(numbers + 3 * hits);
        return {numbers, numbers + hits, numbers + 2 * hits, phi, reinterpret_cast<u16*>(phi + hits)};
    }

    __device__ __forceinline__ u32 count(u32 pair) const { return shared.pairs[pair].count; }

    __device__ __forceinline__ bool is_used(u32 code) const {
        const u32 bit = shared.first_used[code >> INDEX_BITS] + (code & INDEX_MASK);
        return (used[bit / 32] >> bit % 32 & 1) != 0;
    }

    __device__ __forceinline__ void mark(u32 code) const {
        const u32 bit = shared.first_used[code >> INDEX_BITS] + (code & INDEX_MASK);
        atomicOr(&used[bit / 32], 1u << bit % 32);
    }

    __device__ __forceinline__ Position position(u32 code) const {
        return load_position(arguments.hits, shared.pairs[code >> INDEX_BITS].first + (code & INDEX_MASK));
    }

    __device__ __forceinline__ Entry* queue(u32 which) const { return arguments.entries + 2 * base + which * capacity; }

    // Indices of the threads with each of up to three flags, in order of threads, and their numbers.
    struct Ranks {
        u32 rank[3], total[3];
    };

    // All threads call it; barriers are included.
    __device__ __forceinline__ Ranks ranks(const bool* flags) const {
        constexpr u32 WARPS = TRACK_THREADS / LANES;
        const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
        Ranks ranks;
#pragma unroll
        for (u32 kind = 0; kind < 3; kind++) {
            const lanemask_t mask = __ballot_sync(FULL_MASK, flags[kind]);
            ranks.rank[kind] = (u32)popc(mask & lanemask_lt(lane));
            if (lane == 0) shared.warp_counts[kind][warp] = (u32)popc(mask);
        }
        __syncthreads();
#pragma unroll
        for (u32 kind = 0; kind < 3; kind++) {
            ranks.total[kind] = 0;
            for (u32 other = 0; other < WARPS; other++) {
                const u32 count = shared.warp_counts[kind][other];
                if (other < warp) ranks.rank[kind] += count;
                ranks.total[kind] += count;
            }
        }
        __syncthreads();
        return ranks;
    }

    __device__ void load_layer(u32 pair) const {
        const Layer to = layer(pair);
        const u32 first = shared.pairs[pair].first;
        for (u32 hit = threadIdx.x; hit < count(pair); hit += TRACK_THREADS) {
            const Position at = load_position(arguments.hits, first + hit);
            to.x[hit] = at.x;
            to.y[hit] = at.y;
            to.z[hit] = at.z;
            to.phi[hit] = arguments.hits.phi[first + hit];
        }
    }

    // Lists the unused hits of three pairs of modules, from `pair` down. Barriers are included.
    __device__ void list_unused(u32 pair, u32* unused) const {
        u32 most = 0;
        for (u32 kind = 0; kind < 3; kind++) {
            unused[kind] = 0;
            most = max(most, count(pair - kind));
        }
        for (u32 first = 0; first < most; first += TRACK_THREADS) {
            const u32 hit = first + threadIdx.x;
            bool flags[3];
            for (u32 kind = 0; kind < 3; kind++) {
                const u32 of = pair - kind;
                flags[kind] = hit < count(of) && !is_used(of << INDEX_BITS | hit);
            }
            const Ranks found = ranks(flags);
            for (u32 kind = 0; kind < 3; kind++) {
                if (flags[kind]) layer(pair - kind).unused[unused[kind] + found.rank[kind]] = (u16)hit;
                unused[kind] += found.total[kind];
            }
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
        const Layer hits = layer(pair);
        const u32 n = count(pair);
        const i32 low = (i16)(expected - PHI_TOLERANCE);
        const u32 first = lower_bound(0, n, [&](u32 hit) { return hits.phi[hit] < low; });
        Best best = {__uint_as_float(0x3da3d70au), INDEX_MASK};
        for (u32 step = 0; step < n; step++) {
            const u32 hit = first + step < n ? first + step : first + step - n;
            const i32 distance = phi_distance(hits.phi[hit], expected);
            const i32 magnitude = distance < 0 ? -distance : distance;
            if (magnitude > PHI_TOLERANCE && distance != -32768) break;
            if (only_unused && is_used(pair << INDEX_BITS | hit)) continue;
            const float scatter = line.scatter({hits.x[hit], hits.y[hit], hits.z[hit]});
            if (scatter < best.scatter) best = {scatter, hit};
        }
        return best;
    }

    // The nearest of the unused hits in the list.
    __device__ __forceinline__ Best nearest_unused(u32 pair, const Line& line, i32 expected, u32 unused) const {
        const Layer hits = layer(pair);
        const i32 low = (i16)(expected - PHI_TOLERANCE);
        const u32 first = lower_bound(0, unused, [&](u32 at) { return hits.phi[hits.unused[at]] < low; });
        Best best = {__uint_as_float(0x3da3d70au), INDEX_MASK};
        for (u32 step = 0; step < unused; step++) {
            const u32 hit = hits.unused[first + step < unused ? first + step : first + step - unused];
            const i32 distance = phi_distance(hits.phi[hit], expected);
            if (distance == -32768) return nearest_by_rule(pair, line, expected, true);
            if (distance > PHI_TOLERANCE || distance < -PHI_TOLERANCE) break;
            const float scatter = line.scatter({hits.x[hit], hits.y[hit], hits.z[hit]});
            if (scatter < best.scatter) best = {scatter, hit};
        }
        return best;
    }

    // The unused hit of a pair that is tried as number `number` for a second hit: alternately above and
    // below its angle, by index.
    __device__ __forceinline__ u32 first_hit(u32 pair, i32 phi, u32 unused, u32 number) const {
        const Layer hits = layer(pair);
        const i32 n = (i32)count(pair);
        const i32 middle = (i32)lower_bound(0, (u32)n, [&](u32 hit) { return hits.phi[hit] < phi; });
        const u32 above = lower_bound(0, unused, [&](u32 at) { return hits.unused[at] < middle; });
        u32 up = above == unused ? 0 : above, down = above == 0 ? unused - 1 : above - 1;
        u32 hit = 0;
        for (u32 step = 0; step <= number; step++) {
            const i32 to_up = (i32)hits.unused[up] - middle, to_down = middle - (i32)hits.unused[down];
            const i32 up_steps = 2 * (to_up < 0 ? to_up + n : to_up) - 1;
            const i32 down_steps = 2 * (to_down <= 0 ? to_down + n : to_down);
            if (up_steps < down_steps) {
                hit = hits.unused[up];
                up = up + 1 == unused ? 0 : up + 1;
            } else {
                hit = hits.unused[down];
                down = down == 0 ? unused - 1 : down - 1;
            }
        }
        return hit;
    }

    // Makes triplets whose first hit is in this pair of modules.
    template <u32 CANDIDATES> __device__ void seed(u32 pair) {
        u32 unused[3];
        list_unused(pair, unused);
        if (unused[0] == 0 || unused[1] == 0 || unused[2] == 0) return;
        const float* z = arguments.events.geometry;
        const float distance = z[2 * (pair - 2)] - z[2 * pair];
        const Layer firsts = layer(pair), seconds = layer(pair - 1);
        const u32 work = unused[1] * CANDIDATES;
        for (u32 begin = 0; begin < work; begin += TRACK_THREADS) {
            const u32 item = begin + threadIdx.x, number = item % CANDIDATES;
            u32 first = 0, second = 0;
            Best best = {__uint_as_float(0x3da3d70au), INDEX_MASK};
            if (item < work && number < unused[0]) {
                second = seconds.unused[item / CANDIDATES];
                first = first_hit(pair, seconds.phi[second], unused[0], number);
                const Line line({firsts.x[first], firsts.y[first], firsts.z[first]},
                                {seconds.x[second], seconds.y[second], seconds.z[second]});
                best = nearest_unused(pair - 2, line, line.phi_at(distance), unused[2]);
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
            const bool flags[3] = {item < work && number == 0 && best.hit != INDEX_MASK, false, false};
            const Ranks found = ranks(flags);
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
    __device__ void forward(u32 pair) {
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
                const u32 id = arguments.hits.ids[shared.pairs[entry.before_last >> INDEX_BITS].first + (entry.before_last & INDEX_MASK)];
                const u32 side = id >> 20 & 1;
                hit = nearest_by_rule(pair, line, line.phi_at(z[2 * pair + side] - from.z), false).hit;
            }
            const bool is_found = hit != INDEX_MASK, is_track = (entry.info & IS_TRACK) != 0;
            const u32 length = is_track ? (entry.info >> 24 & 31) + 1 : 4;
            const bool is_new = is_entry && is_found && !is_track;
            const bool has_skipped = (entry.info & HAS_SKIPPED) != 0;
            const bool continues = is_entry && (is_found ? length < MAX_HITS : !has_skipped);
            const bool flags[3] = {continues, is_new, is_entry && !is_found && has_skipped && !is_track};
            const Ranks found = ranks(flags);
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
    __device__ void end_queue() {
        for (u32 begin = 0; begin < queued; begin += TRACK_THREADS) {
            const u32 index = begin + threadIdx.x;
            const Entry entry = index < queued ? queue(current)[index] : Entry{IS_TRACK, 0, 0, 0};
            const bool flags[3] = {(entry.info & IS_TRACK) == 0, false, false};
            const Ranks found = ranks(flags);
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
    __device__ u32 filter() const {
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
            const bool flags[3] = {is_accepted, false, false};
            // Barriers in it: all have read before any writes.
            const Ranks found = ranks(flags);
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
    __device__ TrackFinder(const Arguments& arguments, TrackShared& shared, unsigned char* memory, u32 event)
        : arguments(arguments), shared(shared), memory(memory),
          used(reinterpret_cast<u32*>(memory + 3 * 16 * arguments.layer_capacity)), event(event),
          capacity((arguments.events.bases[event + 1] >> arguments.shift) - (arguments.events.bases[event] >> arguments.shift) + 64),
          base((arguments.events.bases[event] >> arguments.shift) + 64 * event) {}

    // Finds the tracks; returns their numbers.
    __device__ TrackCounts find() {
        for (u32 word = threadIdx.x; word < arguments.used_words; word += TRACK_THREADS) used[word] = 0;
        if (threadIdx.x < PAIRS) shared.pairs[threadIdx.x] = arguments.pairs[event * PAIRS + threadIdx.x];
        if (threadIdx.x == 0) shared.overflow = 0;
        __syncthreads();
        if (threadIdx.x == 0) {
            u32 before = 0;
            for (u32 pair = 0; pair < PAIRS; pair++) {
                shared.first_used[pair] = before;
                before += count(pair);
                if (count(pair) > arguments.layer_capacity) shared.overflow = 1;
            }
            if (before > 32 * arguments.used_words) shared.overflow = 1;
        }
        __syncthreads();
        if (shared.overflow != 0) return {0, 0, 0, 1};
        for (u32 pair = LAST_PAIR; pair > LAST_PAIR - 3; pair--) load_layer(pair);
        __syncthreads();
        seed<FIRST_HITS_AT_END>(LAST_PAIR);
        for (u32 pair = LAST_PAIR - 1; pair >= 2; pair--) {
            // In the place of the pair of modules before.
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
        u32 total;
        block_exclusive_sum<TRACK_THREADS>(hits, shared.warp_counts[0], total);
        return {tracks, accepted, total + 3 * accepted, 0};
    }
};

template <class Arguments> __device__ __forceinline__ void find_tracks(const Arguments& arguments) {
    SMEM_DYN(unsigned char, memory);
    __shared__ TrackShared shared;
    const u32 event = arguments.events.first + blockIdx.x;
    TrackFinder<Arguments> finder(arguments, shared, memory, event);
    const TrackCounts counts = finder.find();
    if (threadIdx.x == 0) arguments.counts[event] = counts;
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_find_tracks, FindTracks, (TRACK_THREADS), find_tracks)
KERNEL_INSTANCE(velo_find_half_tracks, FindHalfTracks, (TRACK_THREADS), find_tracks)
