// Order of the hits of each pair of modules by angle and identifier: a warp for each. The position of a
// hit is the number of smaller keys.
//
// Of hits with equal keys the last comes first, and the others become copies of the event's first cluster,
// as in the experiment: `sort_hits` marks them, and `finish_events` copies.
// nvcc: -fmad=false
#include "event.h"

namespace velo {

constexpr u32 SORT_THREADS = 128;
// Hits whose keys are kept in shared memory.
constexpr u32 KEYS = 256;
// Identifier of a hit that is to be a copy.
constexpr u32 COPY = 0xffffffffu;
constexpr u32 FINISH_THREADS = 128;

// Of `from` to `to`. Clusters of the readout are never copied.
struct SortHits {
    HitArrays from, to;
    PairHits* pairs;
    const EventHeader* headers;
    u32 first_event, events;
};

struct SortHalfHits {
    HalfArrays from, to;
    PairHits* pairs;
    const EventHeader* headers;
    u32 first_event, events;
};

__device__ __forceinline__ u64 key_of(i16 phi, u32 id) { return (u64)(u16)(phi ^ (i16)0x8000) << 32 | id; }

template <class Arrays> __device__ __forceinline__ void copy_hit(const Arrays& from, u32 source, const Arrays& to, u32 target) {
    to.ids[target] = from.ids[source];
    to.x[target] = from.x[source];
    to.y[target] = from.y[source];
    to.z[target] = from.z[source];
    to.phi[target] = from.phi[source];
}

template <class Arguments> __device__ __forceinline__ void sort_hits(const Arguments& arguments) {
    constexpr u32 WARPS = SORT_THREADS / LANES;
    __shared__ u64 all_keys[WARPS][KEYS];
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const u32 of_batch = blockIdx.x * WARPS + warp;
    if (of_batch >= arguments.events * PAIRS) return;
    const u32 event = arguments.first_event + of_batch / PAIRS;
    PairHits& pair = arguments.pairs[event * PAIRS + of_batch % PAIRS];
    const u32 first = pair.first, count = pair.count;
    const bool is_retina = arguments.headers[event].kind == RETINA;
    u64* keys = all_keys[warp];
    const bool are_shared = count <= KEYS;
    const auto key_at = [&](u32 hit) { return key_of(arguments.from.phi[first + hit], arguments.from.ids[first + hit]); };
    if (are_shared) {
        for (u32 hit = lane; hit < count; hit += LANES) keys[hit] = key_at(hit);
    }
    __syncwarp();
    bool has_equal = false;
    for (u32 hit = lane; hit < count; hit += LANES) {
        const u64 key = are_shared ? keys[hit] : key_at(hit);
        u32 smaller = 0, not_larger = 0;
        if (are_shared) {
            for (u32 other = 0; other < count; other++) {
                smaller += keys[other] < key ? 1 : 0;
                not_larger += keys[other] <= key ? 1 : 0;
            }
        } else {
            for (u32 other = 0; other < count; other++) {
                const u64 other_key = key_at(other);
                smaller += other_key < key ? 1 : 0;
                not_larger += other_key <= key ? 1 : 0;
            }
        }
        bool is_copy = false;
        if (not_larger - smaller > 1) {
            u32 before = 0;
            for (u32 other = 0; other < hit; other++) before += key_at(other) == key ? 1 : 0;
            const bool is_last = smaller + before + 1 == not_larger;
            if (is_retina) {
                smaller += before;
            } else {
                is_copy = !is_last;
                has_equal = true;
                if (is_copy) smaller += 1 + before;
            }
        }
        if (is_copy) {
            arguments.to.ids[first + smaller] = COPY;
        } else {
            copy_hit(arguments.from, first + hit, arguments.to, first + smaller);
        }
    }
    const bool any_equal = __any_sync(FULL_MASK, has_equal);
    if (lane == 0) pair.has_equal = any_equal ? 1 : 0;
}

// First slots of the pairs of modules of an event, and the copies among its hits: a warp for each.
template <class Arguments> __device__ __forceinline__ void finish_events(const Arguments& arguments) {
    const u32 lane = threadIdx.x % LANES;
    const u32 of_batch = (blockIdx.x * FINISH_THREADS + threadIdx.x) / LANES;
    if (of_batch >= arguments.events) return;
    PairHits* pairs = arguments.pairs + (arguments.first_event + of_batch) * PAIRS;
    const u32 estimate = lane < PAIRS ? pairs[lane].estimate : 0;
    const u32 start = warp_inclusive_sum(estimate) - estimate;
    const bool has_equal = lane < PAIRS && pairs[lane].has_equal != 0;
    if (lane < PAIRS) pairs[lane].start = start;
    if (!__any_sync(FULL_MASK, has_equal)) return;
    const u32 first_pair = (u32)ffs(__ballot_sync(FULL_MASK, estimate > 0)) - 1;
    const PairHits first = pairs[first_pair];
    for (u32 index = 0; index < PAIRS; index++) {
        const PairHits pair = pairs[index];
        for (u32 hit = pair.first + lane; hit < pair.first + pair.count; hit += LANES) {
            if (arguments.to.ids[hit] != COPY) continue;
            if (first.count > 0) {
                copy_hit(arguments.from, first.first, arguments.to, hit);
            } else {
                arguments.to.ids[hit] = 0;
                store(arguments.to.x, hit, 0.0f);
                store(arguments.to.y, hit, 0.0f);
                store(arguments.to.z, hit, 0.0f);
                arguments.to.phi[hit] = 0;
            }
        }
    }
}

}  // namespace velo

using namespace velo;

KERNEL_INSTANCE(velo_sort_hits, SortHits, (SORT_THREADS), sort_hits)
KERNEL_INSTANCE(velo_sort_half_hits, SortHalfHits, (SORT_THREADS), sort_hits)
KERNEL_INSTANCE(velo_finish_events, SortHits, (FINISH_THREADS), finish_events)
KERNEL_INSTANCE(velo_finish_half_events, SortHalfHits, (FINISH_THREADS), finish_events)
