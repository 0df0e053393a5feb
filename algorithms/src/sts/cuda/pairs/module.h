// Data of a module in which hits of pairs are found.
#pragma once
#include "../formulas/lines.h"

// Clusters of a side for each block, as the host lists them.
struct Job {
    u32 segment, first;
};

// The backs of a front that are near enough in time to it, whatever their own errors are.
struct alignas(8) Partners {
    u32 first, count;
};

// What finding hits of pairs reads and writes besides.
struct PairFinding {
    HitFinding all;
    // One for each block.
    const Job* jobs;
    // In the order of entries: the lines of clusters, what hits need of them, and the partners of
    // fronts.
    Line* lines;
    Measured* values;
    Partners* partners;
};

namespace {

// Data of the clusters of a side that pairs need, in order of time. In the original array, clusters
// near in time are scattered.
struct InOrder {
    const Line* lines;
    const Measured* measured;

    __device__ __forceinline__ InOrder from(u32 begin) const { return {lines + begin, measured + begin}; }
};

// Data shared by all threads of a block: in shared memory, as registers are scarce.
struct Module {
    Sensor sensor;
    CrossingRange range;
    float widths;  // sensor widths per cm
    InOrder fronts, backs;
    TimeCut cut;
    Hit* hits;
    u32 capacity;
    u32* count;
};

__device__ __forceinline__ Module module_of(const PairFinding& pairs, u32 number) {
    const HitFinding& all = pairs.all;
    const Sensor& sensor = all.sensors[number];
    const InOrder clusters = {pairs.lines, pairs.values};
    return {sensor,
            crossing_range(sensor),
            1.0f / sensor.width,
            clusters.from(all.side_offsets[number]),
            clusters.from(all.side_offsets[all.modules + number]),
            all.cut,
            all.hits + all.offsets[number],
            all.offsets[number + 1] - all.offsets[number],
            &all.counts[number]};
}

}  // namespace
