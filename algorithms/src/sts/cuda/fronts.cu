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

template <class Rules, class Finding>
__device__ __forceinline__ void find_hits(const AllClusters& all, u32 modules, const Sensor* sensors,
                                          const TimeCut& cut, const u32* offsets, u32* counts, Hit* hits) {
    const u32 index = blockIdx.x * THREADS + threadIdx.x;
    if (index >= all.side_offsets[modules]) return;
    const u32 module = Finding::segment(all.side_offsets, modules, index), number = index - all.side_offsets[module];
    const SortedClusters fronts = all.of(module), backs = all.of(modules + module);
    if (number >= fronts.count) return;
    const Bucket bucket = {hits + offsets[module], offsets[module + 1] - offsets[module], &counts[module]};
    const float latest = __uint_as_float(all.found[modules + module].latest_error);
    find_partners<Rules>(backs, fronts.cluster(number), sensors[module], cut, latest, bucket);
}

}  // namespace

// Finds the hits of all modules. `offsets` has the offsets of buckets, and the end of the last one;
// `counts` are zero at the start. A thread for each element of the range of a module's front.
extern "C" __global__ void __launch_bounds__(THREADS)
    hits_of_fronts_walk_exact(const Cluster* clusters, const Entry* entries, const u32* side_offsets,
                              const Found* found, u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut,
                              const u32* offsets, u32* counts, Hit* hits) {
    find_hits<Exact, Walk>({clusters, entries, side_offsets, found}, modules, sensors, time_cut(cut_kind, cut), offsets,
                           counts, hits);
}
KERNEL_EXPORT(hits_of_fronts_walk_exact, HitsOfFronts)

extern "C" __global__ void __launch_bounds__(THREADS)
    hits_of_fronts_walk_published(const Cluster* clusters, const Entry* entries, const u32* side_offsets,
                                  const Found* found, u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut,
                                  const u32* offsets, u32* counts, Hit* hits) {
    find_hits<Published, Walk>({clusters, entries, side_offsets, found}, modules, sensors, time_cut(cut_kind, cut),
                               offsets, counts, hits);
}
KERNEL_EXPORT(hits_of_fronts_walk_published, HitsOfFronts)

extern "C" __global__ void __launch_bounds__(THREADS)
    hits_of_fronts_search_exact(const Cluster* clusters, const Entry* entries, const u32* side_offsets,
                                const Found* found, u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut,
                                const u32* offsets, u32* counts, Hit* hits) {
    find_hits<Exact, Search>({clusters, entries, side_offsets, found}, modules, sensors, time_cut(cut_kind, cut),
                             offsets, counts, hits);
}
KERNEL_EXPORT(hits_of_fronts_search_exact, HitsOfFronts)

extern "C" __global__ void __launch_bounds__(THREADS)
    hits_of_fronts_search_published(const Cluster* clusters, const Entry* entries, const u32* side_offsets,
                                    const Found* found, u32 modules, const Sensor* sensors, u32 cut_kind, u32 cut,
                                    const u32* offsets, u32* counts, Hit* hits) {
    find_hits<Published, Search>({clusters, entries, side_offsets, found}, modules, sensors, time_cut(cut_kind, cut),
                                 offsets, counts, hits);
}
KERNEL_EXPORT(hits_of_fronts_search_published, HitsOfFronts)
