// Pairs of clusters of both sides that are near in time, and their hits: see sts/hits/formulas.rs.
// nvcc: -fmad=false
#pragma once
#include "records.h"
#include "rules.h"
#include "scan.h"

// Pairs of clusters of both sides that are near in time, and their hits: see sts/hits/formulas.rs.

// The clusters of a side with their entries in order of time.
struct SortedClusters {
    const Cluster* clusters;
    const Entry* entries;
    u32 count;

    __device__ __forceinline__ const Cluster& cluster(u32 number) const { return clusters[entries[number].index]; }

    // Lower bound: the index of the first cluster that is not `early`, if all before it are.
    template <class Early> __device__ __forceinline__ u32 lower_bound(Early early) const {
        return ::lower_bound(0, count, early);
    }
};

enum CutKind : u32 { NOTHING, ABSOLUTE, DEVIATIONS };

// The cut on the time between two clusters: see `time_cut` in sts/formulas/sensor.rs.
struct TimeCut {
    u32 kind;
    float value;

    // Clusters further apart than this many standard deviations are never paired.
    static constexpr float PRUNING = 4;

    // Cut for the errors of both, and the largest of the back's; in ns, below 0 if nothing passes.
    __device__ __forceinline__ float between(float front, float back, float latest) const {
        return within(reach_of(front, latest), front, back);
    }

    // The time cut, limited by the reach of a front.
    __device__ __forceinline__ float within(float reach, float front, float back) const {
        const float cut = kind == NOTHING ? -1.0f : kind == ABSOLUTE ? value : value * deviation_of(front, back);
        return reach < cut ? reach : cut;
    }

    __device__ __forceinline__ static float reach_of(float front, float latest) {
        return PRUNING * deviation_of(front, latest);
    }

    __device__ __forceinline__ static float deviation_of(float front, float error) {
        return sqrtf(front * front + error * error);
    }
};

// Arguments of finding hits.
struct HitFinding {
    // Clusters of all sides, fronts first: each side has a range of the arrays.
    const Cluster* clusters;
    const Entry* entries;
    const u32* side_offsets;
    const Found* found;
    // Sensor of each module.
    const Sensor* sensors;
    // Offsets of the buckets of modules, with the end of the last one, and their counts of hits,
    // zero at the start.
    const u32* offsets;
    u32* counts;
    Hit* hits;
    u32 modules;
    TimeCut cut;

    __device__ __forceinline__ SortedClusters of(u32 side) const {
        return {clusters + side_offsets[side], entries + side_offsets[side], found[side].clusters};
    }
    // The largest time error of a side.
    __device__ __forceinline__ float latest_error(u32 side) const { return __uint_as_float(found[side].latest_error); }
};

// The lines of a strip, as displacements from the first in widths: both ends included.
struct Lines {
    i32 first, last;
};

template <class Rules>
__device__ __forceinline__ Lines lines_of(const Sensor& sensor, const Edge& side, float x) {
    const i32 widths = Rules::widths((x + sensor.height * side.tangent) / sensor.width);
    return {min(widths, 0), max(widths, 0)};
}

// The hit where lines of two clusters cross.
template <class Rules>
__device__ __forceinline__ Hit hit_at(const Sensor& sensor, const Measured& front, const Measured& back,
                                      const Local& local) {
    const float front_error = front.position_error * sensor.pitch, back_error = back.position_error * sensor.pitch;
    const Errors errors = Rules::errors(sensor, spread_of(sensor, front_error, back_error));
    Hit hit;
    hit.x = in_detector(sensor, 0, local);
    hit.y = in_detector(sensor, 1, local);
    hit.z = in_detector(sensor, 2, local);
    hit.time = Rules::hit_time(front.time, back.time);
    hit.dx = errors.dx;
    hit.dy = errors.dy;
    hit.dz = errors.dz;
    hit.dxy = errors.dxy;
    hit.time_error = 0.5f * sqrtf(front.time_error * front.time_error + back.time_error * back.time_error);
    hit.du = front_error * sensor.front.cosine;
    hit.dv = back_error * sensor.back.cosine;
    hit.address = sensor.address;
    return hit;
}

// Calls `found(local)` for each crossing of the lines of a pair.
template <class Rules, class Take>
__device__ __forceinline__ void for_each_crossing(const Sensor& sensor, const Cluster& front, const Cluster& back,
                                                  Take found) {
    const float x_front = edge_of(sensor, sensor.front, 0, front.position);
    const float x_back = edge_of(sensor, sensor.back, CHANNELS_OF_SIDE, back.position);
    if (!is_on_edge(sensor, x_front) || !is_on_edge(sensor, x_back)) return;
    const Lines fronts = lines_of<Rules>(sensor, sensor.front, x_front);
    const Lines backs = lines_of<Rules>(sensor, sensor.back, x_back);
    for (i32 i = fronts.first; i <= fronts.last; i++) {
        for (i32 j = backs.first; j <= backs.last; j++) {
            Local local;
            const float front_line = x_front - (float)i * sensor.width, back_line = x_back - (float)j * sensor.width;
            if (crossing(sensor, front_line, back_line, local)) found(local);
        }
    }
}

// Cluster data that decide about crossings: a record of 8 bytes each.

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
