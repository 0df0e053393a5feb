// Cluster data that decide about crossings: a record of 8 bytes each.
// nvcc: -fmad=false
#pragma once
#include "pairs.h"

// Line of a cluster: where its strip leaves the top edge, in cm, or NaN if it does not; and the
// displacement of its last line in widths.
struct alignas(8) Line {
    float edge;
    i32 widths;

    __device__ __forceinline__ Lines lines() const { return {min(widths, 0), max(widths, 0)}; }
};

template <class Rules>
__device__ __forceinline__ Line line_of(const Sensor& sensor, const Edge& side, i32 strips_before,
                                        const Cluster& cluster) {
    const float edge = edge_of(sensor, side, strips_before, cluster.position);
    if (!is_on_edge(sensor, edge)) return {__uint_as_float(~0u), 0};
    return {edge, Rules::widths((edge + sensor.height * side.tangent) / sensor.width)};
}

// The crossings of two lines that are on their edges, one after the other.
class Crossings {
    const Sensor& sensor;
    float front, back;
    Lines fronts, backs;
    i32 i, j;

  public:
    __device__ __forceinline__ Crossings(const Sensor& sensor, const Line& front, const Line& back)
        : sensor(sensor),
          front(front.edge),
          back(back.edge),
          fronts(front.lines()),
          backs(back.lines()),
          i(fronts.first),
          j(backs.first) {}

    // Advances; returns true if there is another crossing.
    __device__ __forceinline__ bool next(Local& local) {
        while (i <= fronts.last) {
            const float front_line = front - (float)i * sensor.width, back_line = back - (float)j * sensor.width;
            const bool is_last = j == backs.last;
            i += is_last;
            j = is_last ? backs.first : j + 1;
            if (crossing(sensor, front_line, back_line, local)) return true;
        }
        return false;
    }
};

// True if any line of one cluster may cross any of the other; no false negatives. Line i of a front
// and line j of a back leave the edge (front - i widths) - (back - j widths) apart, which has to be
// in range: so the interval that the range allows for j - i has to contain an existing integer.
// Rounding errors are small compared with the margin of the range. `widths` is the number of sensor
// widths per cm. Lines off their edges compare as false.
__device__ __forceinline__ bool may_cross(const CrossingRange& range, float widths, const Line& front,
                                          const Line& back) {
    const Lines fronts = front.lines(), backs = back.lines();
    const float difference = front.edge - back.edge;
    const float lowest = -floorf((difference - range.min_difference) * widths);
    const float highest = floorf((range.max_difference - difference) * widths);
    const float first = (float)(backs.first - fronts.last), last = (float)(backs.last - fronts.first);
    return (first > lowest ? first : lowest) <= (last < highest ? last : highest);
}
