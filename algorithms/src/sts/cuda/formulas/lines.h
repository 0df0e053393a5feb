// Clusters as far as it takes to tell which may cross: a 16-byte record each.
#pragma once
#include "pairs.h"

// A cluster, in order of time: where its strip leaves the top edge, in cm, or no number if
// it does not; how many widths further its last line does; where the cluster is in its room.
struct alignas(16) Line {
    u32 time;
    float edge;
    i32 widths;
    u32 index;

    __device__ __forceinline__ Lines lines() const { return {min(widths, 0), max(widths, 0)}; }
};

template <class Rules>
__device__ __forceinline__ Line line_of(const Sensor& sensor, const Edge& side, i32 strips_before,
                                        const Cluster& cluster, u32 index) {
    const float edge = edge_of(sensor, side, strips_before, cluster.position);
    if (!is_on_edge(sensor, edge)) return {cluster.time, __uint_as_float(~0u), 0, index};
    return {cluster.time, edge, Rules::widths((edge + sensor.height * side.tangent) / sensor.width), index};
}

// Lines of a side in order of time, by their numbers.
struct Range {
    u32 start, end;
};

// The number of the first line of a range that is not `early`, if all before it are.
template <class Early> __device__ __forceinline__ u32 first_not(const Line* lines, const Range& range, Early early) {
    return first_not(range.start, range.end, [&](u32 number) { return early(lines[number].time); });
}

// The same by a warp, which looks at as many lines at once as it has lanes.
template <class Early> __device__ __forceinline__ u32 warp_first_not(const Line* lines, Range range, Early early) {
    while (range.start < range.end) {
        const u32 step = (range.end - range.start + LANES - 1) / LANES;
        const u32 own = range.start + (threadIdx.x % LANES + 1) * step - 1;
        const u32 earlies = popc(__ballot_sync(FULL_MASK, own < range.end && early(lines[own].time)));
        const u32 late = range.start + (earlies + 1) * step - 1;
        range = {min(range.start + earlies * step, range.end), min(late, range.end)};
    }
    return range.start;
}

// Calls `found(local)` for each crossing of two lines that are on their edges.
template <class Take>
__device__ __forceinline__ void for_each_crossing_of(const Sensor& sensor, const Line& front, const Line& back,
                                                     Take found) {
    const Lines fronts = front.lines(), backs = back.lines();
    for (i32 i = fronts.first; i <= fronts.last; i++) {
        for (i32 j = backs.first; j <= backs.last; j++) {
            Local local;
            if (crossing(sensor, front.edge - (float)i * sensor.width, back.edge - (float)j * sensor.width, local))
                found(local);
        }
    }
}

// Whether any line of one may cross any of the other; never no if one does. Lines off
// their edges compare as no.
__device__ __forceinline__ bool may_cross(const Sensor& sensor, const CrossingRange& range, const Line& front,
                                          const Line& back) {
    const Lines fronts = front.lines(), backs = back.lines();
    bool may = false;
    for (i32 i = fronts.first; i <= fronts.last; i++) {
        for (i32 j = backs.first; j <= backs.last; j++) {
            const float difference =
                (front.edge - (float)i * sensor.width) - (back.edge - (float)j * sensor.width);
            may |= difference >= range.least && difference <= range.most;
        }
    }
    return may;
}
