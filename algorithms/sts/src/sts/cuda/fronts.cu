// nvcc: -fmad=false
//
// Hits as the online reconstruction finds them: a thread per cluster of the front, which finds its
// partners by binary search. Hits go to a bucket for each module, at indices from an atomic
// counter. A bucket that turns out to be too small drops hits, but its counter counts them, so the
// host knows the required capacity.
//
// As published, threads find their module by walking past all before it; those of the kernels for
// `fronts` by a binary search.
#include "formulas/pairs.h"

namespace {

constexpr u32 THREADS = 128;

// A bucket of hits.
struct Bucket {
    Hit* hits;
    u32 capacity;
    u32* count;

    __device__ __forceinline__ void add(const Hit& hit) const {
        const u32 number = atomicAdd(count, 1u);
        if (number < capacity) hits[number] = hit;
    }
};

// The hits of a cluster of the front.
template <class Rules>
__device__ __forceinline__ void find_partners(const SortedClusters& backs, const Cluster& front, const Sensor& sensor,
                                              const TimeCut& cut, float latest, const Bucket& bucket) {
    const float max_delay = cut.between(front.time_error, latest, latest);
    const auto is_late = [&](u32 number) { return Rules::delay(front.time, backs.entries[number].time) > max_delay; };
    for (u32 number = backs.lower_bound(is_late); number < backs.count; number++) {
        const Entry entry = backs.entries[number];
        const float delay = Rules::delay(front.time, entry.time);
        if (-delay > max_delay) return;
        const Cluster back = backs.clusters[entry.index];
        if (fabsf(delay) > cut.between(front.time_error, back.time_error, latest)) continue;
        for_each_crossing<Rules>(sensor, front, back, [&](const Local& local) {
            bucket.add(hit_at<Rules>(sensor, measured(front), measured(back), local));
        });
    }
}

// Finds the hits of all modules. A thread for each element of the range of a module's front.
template <class Rules, class Finding> __device__ __forceinline__ void find_hits(const HitFinding& all) {
    const u32 index = blockIdx.x * THREADS + threadIdx.x;
    if (index >= all.side_offsets[all.modules]) return;
    const u32 module = Finding::segment(all.side_offsets, all.modules, index);
    const u32 number = index - all.side_offsets[module], back = all.modules + module;
    const SortedClusters fronts = all.of(module);
    if (number >= fronts.count) return;
    const u32* offsets = all.offsets + module;
    const Bucket bucket = {all.hits + offsets[0], offsets[1] - offsets[0], &all.counts[module]};
    find_partners<Rules>(all.of(back), fronts.cluster(number), all.sensors[module], all.cut, all.latest_error(back),
                         bucket);
}

}  // namespace

KERNEL_INSTANCE(hits_of_fronts_walk_exact, HitFinding, (THREADS), find_hits<Exact, Walk>)
KERNEL_INSTANCE(hits_of_fronts_walk_published, HitFinding, (THREADS), find_hits<Published, Walk>)
KERNEL_INSTANCE(hits_of_fronts_search_exact, HitFinding, (THREADS), find_hits<Exact, Search>)
KERNEL_INSTANCE(hits_of_fronts_search_published, HitFinding, (THREADS), find_hits<Published, Search>)
