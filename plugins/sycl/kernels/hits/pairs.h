// Pairs of clusters of both sides that are near in time, and their hits. As formulas/pairs.h of sts, by
// the exact rules.
#pragma once
#include "sensor.h"

namespace hits {

constexpr u32 CHANNELS_OF_SIDE = 1024;

// Neighbouring digis of a side.
struct alignas(8) Cluster {
    float charge;
    i32 size;
    float position, position_error;
    u32 time;
    float time_error;
};

// Sort key of a cluster.
struct alignas(8) Entry {
    u32 time, index;
};

// Crossing of a particle through a module.
struct alignas(16) Hit {
    float x, y, z;
    u32 time;
    float dx, dy, dz, dxy;
    float time_error, du, dv;
    u32 address;
};

// Clusters of a side: their number, and the largest time error.
struct alignas(8) Found {
    u32 clusters;
    float latest_error;
};

// The clusters of a side with their entries in order of time.
struct SortedClusters {
    const Cluster* clusters;
    const Entry* entries;
    u32 count;

    DEVICE const Cluster& cluster(u32 number) const { return clusters[entries[number].index]; }

    // Lower bound: the index of the first cluster that is not `early`, if all before it are.
    template <class Early> DEVICE u32 lower_bound(Early early) const {
        u32 low = 0;
        u32 high = count;
        while (low < high) {
            const u32 middle = (low + high) / 2;
            if (early(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
};

enum CutKind : u32 { NOTHING, ABSOLUTE, DEVIATIONS };

// The cut on the time between two clusters.
struct TimeCut {
    u32 kind;
    float value;

    // Clusters further apart than this many standard deviations are never paired.
    static constexpr float PRUNING = 4;

    // Cut for the errors of both, and the largest of the back's; in ns, below 0 if nothing passes.
    DEVICE float between(float front, float back, float latest) const {
        const float reach = PRUNING * deviation_of(front, latest);
        const float cut = kind == NOTHING ? -1.0f : kind == ABSOLUTE ? value : value * deviation_of(front, back);
        return reach < cut ? reach : cut;
    }

    DEVICE static float deviation_of(float front, float error) { return root(front * front + error * error); }
};

// Difference of two times, which have 31 bits.
DEVICE float delay_of(u32 front, u32 back) { return float(i32(front - back)); }

// The lines of a strip, as displacements from the first in widths: both ends included.
struct Lines {
    i32 first, last;
};

DEVICE Lines lines_of(const Sensor& sensor, const Edge& side, float x) {
    const i32 widths = i32(sycl::floor(quotient(x + sensor.height * side.tangent, sensor.width)));
    return {min_of(widths, 0), max_of(widths, 0)};
}

// The hit where lines of two clusters cross.
DEVICE Hit hit_at(const Sensor& sensor, const Cluster& front, const Cluster& back, const Local& local) {
    const float front_error = front.position_error * sensor.pitch;
    const float back_error = back.position_error * sensor.pitch;
    const Errors errors = rotated(sensor, spread_of(sensor, front_error, back_error));
    Hit hit;
    hit.x = in_detector(sensor, 0, local);
    hit.y = in_detector(sensor, 1, local);
    hit.z = in_detector(sensor, 2, local);
    hit.time = u32((u64(front.time) + back.time) / 2);
    hit.dx = errors.dx;
    hit.dy = errors.dy;
    hit.dz = errors.dz;
    hit.dxy = errors.dxy;
    hit.time_error = 0.5f * root(front.time_error * front.time_error + back.time_error * back.time_error);
    hit.du = front_error * sensor.front.cosine;
    hit.dv = back_error * sensor.back.cosine;
    hit.address = sensor.address;
    return hit;
}

// Calls `found(local)` for each crossing of the lines of a pair.
template <class Take>
DEVICE void for_each_crossing(const Sensor& sensor, const Cluster& front, const Cluster& back, Take found) {
    const float x_front = edge_of(sensor, sensor.front, 0, front.position);
    const float x_back = edge_of(sensor, sensor.back, CHANNELS_OF_SIDE, back.position);
    if (!is_on_edge(sensor, x_front) || !is_on_edge(sensor, x_back)) return;
    const Lines fronts = lines_of(sensor, sensor.front, x_front);
    const Lines backs = lines_of(sensor, sensor.back, x_back);
    for (i32 i = fronts.first; i <= fronts.last; i++) {
        for (i32 j = backs.first; j <= backs.last; j++) {
            Local local;
            const float front_line = x_front - float(i) * sensor.width;
            const float back_line = x_back - float(j) * sensor.width;
            if (crossing(sensor, front_line, back_line, local)) found(local);
        }
    }
}

}  // namespace hits
