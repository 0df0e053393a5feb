// What hits of pairs are found in.
#pragma once
#include "../formulas/lines.h"

// Clusters of a side for each block, as the host lists them.
struct Job {
    u32 segment, first;
};

// The backs of a front that are near enough in time to it, whatever their own errors are.
struct Partners {
    u32 first, count;
};

namespace {

// What all threads of a block know: in shared memory, as registers are scarce.
struct Module {
    const Sensor* sensor;
    CrossingRange range;
    float widths;  // of the sensor in a cm
    const Cluster* fronts;
    const Cluster* backs;
    const Line* front_lines;
    const Line* back_lines;
    TimeCut cut;
    float latest;  // the largest error of a back's time
    Hit* hits;
    u32 capacity;
    u32* count;
};

__device__ __forceinline__ Module module_of(const AllClusters& all, const Line* lines, u32 modules,
                                            const Sensor* sensors, const TimeCut& cut, u32 number,
                                            const u32* offsets, u32* counts, Hit* hits) {
    const Sensor& sensor = sensors[number];
    const u32 front_begin = all.begins[number], back_begin = all.begins[modules + number];
    return {&sensor,
            crossing_range(sensor),
            1.0f / sensor.width,
            all.clusters + front_begin,
            all.clusters + back_begin,
            lines + front_begin,
            lines + back_begin,
            cut,
            __uint_as_float(all.found[modules + number].latest_error),
            hits + offsets[number],
            offsets[number + 1] - offsets[number],
            &counts[number]};
}

}  // namespace
