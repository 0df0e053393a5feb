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

__device__ __forceinline__ Module module_of(const u32* side_offsets, const InOrder& all, u32 modules,
                                            const Sensor* sensors, const TimeCut& cut, u32 number, const u32* offsets,
                                            u32* counts, Hit* hits) {
    const Sensor& sensor = sensors[number];
    return {sensor,
            crossing_range(sensor),
            1.0f / sensor.width,
            all.from(side_offsets[number]),
            all.from(side_offsets[modules + number]),
            cut,
            hits + offsets[number],
            offsets[number + 1] - offsets[number],
            &counts[number]};
}

}  // namespace
