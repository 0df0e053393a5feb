// Crossings of the strips of both sides: see sts/formulas/sensor.rs. Operations are in its order
// and none are fused, so results are the same to the bit.
// nvcc: -fmad=false
#pragma once
#include "portable.h"
#include "sides.h"

enum Strips : u32 { PARALLEL, FRONT_VERTICAL, BACK_VERTICAL, BOTH_TILTED };

// A side of a sensor.
struct Edge {
    float tangent, cosine, lorentz;
};

// A module, as `sensors.rs` writes it.
struct Sensor {
    u32 strips;
    float width, height, pitch;
    Edge front, back;
    float rotation[9], translation[3];
    u32 address;
};

// A point on the sensor, from its centre, in cm.
struct Local {
    float x, y;
};

// Variances and covariance of x and y on the sensor.
struct Spread {
    float xx, yy, xy;
};

// Standard deviations of the global coordinates, and the covariance of x and y.
struct Errors {
    float dx, dy, dz, dxy;
};

// Point where a strip leaves the top edge, in cm from the left corner; positions of this side count
// from `strips_before`.
__device__ __forceinline__ float edge_of(const Sensor& sensor, const Edge& side, i32 strips_before, float position) {
    const i32 whole = (i32)position;
    const float fraction = position - (float)whole;
    return ((float)(whole - strips_before) + fraction + 0.5f) * sensor.pitch - side.lorentz;
}

__device__ __forceinline__ bool is_on_edge(const Sensor& sensor, float x) { return x >= 0 && x <= sensor.width; }

// Crossing of two lines; returns true if it is on the active area.
__device__ __forceinline__ bool crossing(const Sensor& sensor, float front, float back, Local& local) {
    const float tan_front = sensor.front.tangent, tan_back = sensor.back.tangent;
    float x, y;
    switch (sensor.strips) {
        case PARALLEL:
            return false;
        case FRONT_VERTICAL:
            x = front;
            y = sensor.height - (front - back) / tan_back;
            break;
        case BACK_VERTICAL:
            x = back;
            y = sensor.height - (back - front) / tan_front;
            break;
        default:
            x = (tan_back * front - tan_front * back) / (tan_back - tan_front);
            y = sensor.height + (back - front) / (tan_back - tan_front);
    }
    local = {x - sensor.width / 2.0f, y - sensor.height / 2.0f};
    return fabsf(local.x) <= sensor.width / 2.0f && fabsf(local.y) <= sensor.height / 2.0f;
}

// Differences of where lines leave the edge, front minus back, beyond which they surely
// don't cross on the active area; none if `max_difference` is below `min_difference`.
struct CrossingRange {
    float min_difference, max_difference;
};

__device__ __forceinline__ CrossingRange crossing_range(const Sensor& sensor) {
    // Far more than what rounding can shift, as a part of the sensor's size.
    constexpr float ROUNDING = 1e-4f;
    if (sensor.strips == PARALLEL) return {1, 0};
    const float reach = sensor.height * (sensor.back.tangent - sensor.front.tangent);
    const float margin = ROUNDING * fmaxf(sensor.width, sensor.height);
    return {fminf(reach, 0) - margin, fmaxf(reach, 0) + margin};
}

// Variances of x and y, by the errors of both sides along the edge.
__device__ __forceinline__ Spread spread_of(const Sensor& sensor, float front, float back) {
    const float tan_front = sensor.front.tangent, tan_back = sensor.back.tangent;
    const float ff = front * front, bb = back * back, both = ff + bb;
    switch (sensor.strips) {
        case BACK_VERTICAL:
            return {bb, both / tan_front / tan_front, -bb / tan_front};
        case BOTH_TILTED: {
            const float g = 1.0f / (tan_back - tan_front) / (tan_back - tan_front);
            return {g * (ff * tan_back * tan_back + bb * tan_front * tan_front), g * both,
                    -g * (ff * tan_back + bb * tan_front)};
        }
        default:
            return {ff, both / tan_back / tan_back, -ff / tan_back};
    }
}

// A coordinate of a point on the sensor in the detector.
__device__ __forceinline__ float in_detector(const Sensor& sensor, u32 axis, const Local& local) {
    return sensor.translation[axis] + sensor.rotation[3 * axis] * local.x + sensor.rotation[3 * axis + 1] * local.y;
}

// An entry of the covariance matrix in the detector.
__device__ __forceinline__ float rotated_entry(const Sensor& sensor, const Spread& spread, u32 row, u32 column) {
    const float a = sensor.rotation[3 * row], b = sensor.rotation[3 * row + 1];
    const float c = sensor.rotation[3 * column], d = sensor.rotation[3 * column + 1];
    return a * c * spread.xx + (a * d + b * c) * spread.xy + b * d * spread.yy;
}

// A variance of nothing may come out below it.
__device__ __forceinline__ float deviation(float variance) { return sqrtf(variance > 0 ? variance : 0); }

__device__ __forceinline__ Errors rotated(const Sensor& sensor, const Spread& spread) {
    return {deviation(rotated_entry(sensor, spread, 0, 0)), deviation(rotated_entry(sensor, spread, 1, 1)),
            deviation(rotated_entry(sensor, spread, 2, 2)), rotated_entry(sensor, spread, 0, 1)};
}
