// Hits as the online reconstruction finds them: a work-item per cluster of the front, which finds its
// partners by binary search. Hits go to a bucket for each module, at indices from an atomic counter. A
// bucket that turns out to be too small drops hits, but its counter counts them, so the host knows the
// required capacity. Work-items find their module by walking past all before it. As fronts.cu of sts.
#pragma once
#include "pairs.h"

namespace hits {

constexpr u32 THREADS = 128;

// A bucket of hits.
struct Bucket {
    Hit* hits;
    u32 capacity;
    u32* count;

    DEVICE void add(const Hit& hit) const {
        const u32 number = next_index(*count);
        if (number < capacity) hits[number] = hit;
    }
};

// Clusters, and buckets of their hits. Sides are the fronts of all modules, then their backs.
struct Finding {
    const Cluster* clusters;
    const Entry* entries;
    // Offsets of the entries of sides with the end of the last one, and of their clusters.
    const u32* side_offsets;
    const u32* side_begins;
    const Found* found;
    // Sensor of each module.
    const Sensor* sensors;
    // Offsets of the buckets of modules, with the end of the last one, and their counts of hits, zero at
    // the start.
    const u32* offsets;
    u32* counts;
    Hit* hits;
    u32 modules;
    TimeCut cut;

    DEVICE SortedClusters of(u32 side) const {
        return {clusters + side_begins[side], entries + side_offsets[side], found[side].clusters};
    }

    DEVICE Bucket bucket(u32 module) const {
        const u32 begin = offsets[module];
        return {hits + begin, offsets[module + 1] - begin, &counts[module]};
    }
};

// The hits of a cluster of the front.
DEVICE void find_partners(const SortedClusters& backs, const Cluster& front, const Sensor& sensor, const TimeCut& cut,
                          float latest, const Bucket& bucket) {
    const float max_delay = cut.between(front.time_error, latest, latest);
    const auto is_late = [&](u32 number) { return delay_of(front.time, backs.entries[number].time) > max_delay; };
    for (u32 number = backs.lower_bound(is_late); number < backs.count; number++) {
        const Entry entry = backs.entries[number];
        const float delay = delay_of(front.time, entry.time);
        if (-delay > max_delay) return;
        const Cluster back = backs.clusters[entry.index];
        if (sycl::fabs(delay) > cut.between(front.time_error, back.time_error, latest)) continue;
        for_each_crossing(sensor, front, back,
                          [&](const Local& local) { bucket.add(hit_at(sensor, front, back, local)); });
    }
}

// Segment of a position, found by walking from segment to segment.
DEVICE u32 segment_by_walk(const u32* offsets, u32 position) {
    const u32* next = offsets + 1;
    while (*next <= position) next++;
    return u32(next - offsets) - 1;
}

// Finds the hits of all modules. A work-item for each cluster of a front.
DEVICE void find_hits(Item item, const Finding& all) {
    const u32 index = group_of(item) * THREADS + thread_of(item);
    if (index >= all.side_offsets[all.modules]) return;
    const u32 module = segment_by_walk(all.side_offsets, index);
    const u32 number = index - all.side_offsets[module];
    const u32 back = all.modules + module;
    const SortedClusters fronts = all.of(module);
    if (number >= fronts.count) return;
    find_partners(all.of(back), fronts.cluster(number), all.sensors[module], all.cut, all.found[back].latest_error,
                  all.bucket(module));
}

}  // namespace hits
