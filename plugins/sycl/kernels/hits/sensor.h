// Geometry of sensors, and the crossings of their strips. As formulas/rules.h of sts: operations are in
// its order and none are fused (-ffp-contract=off), so results are the same to the bit.
#pragma once
#include "../device.h"

namespace hits {

enum Strips : u32 { PARALLEL, FRONT_VERTICAL, BACK_VERTICAL, BOTH_TILTED };

// A side of a sensor.
struct Edge {
    float tangent, cosine, lorentz;
};

// A module, in single precision.
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

// Rounded correctly.
DEVICE float root(float value) {
#if defined(__NVPTX__)
    return __nvvm_sqrt_rn_f(value);
#else
    return float(sycl::sqrt(double(value)));
#endif
}

// Rounded correctly: OpenCL leaves it to a device how quotients of floats are.
DEVICE float quotient(float a, float b) {
#if defined(__NVPTX__)
    return a / b;
#else
    return float(double(a) / double(b));
#endif
}

// Point where a strip leaves the top edge, in cm from the left corner; positions of this side count
// from `strips_before`.
DEVICE float edge_of(const Sensor& sensor, const Edge& side, i32 strips_before, float position) {
    const i32 whole = i32(position);
    const float fraction = position - float(whole);
    return (float(whole - strips_before) + fraction + 0.5f) * sensor.pitch - side.lorentz;
}

DEVICE bool is_on_edge(const Sensor& sensor, float x) { return x >= 0 && x <= sensor.width; }

// Crossing of two lines; returns true if it is on the active area.
DEVICE bool crossing(const Sensor& sensor, float front, float back, Local& local) {
    const float tan_front = sensor.front.tangent;
    const float tan_back = sensor.back.tangent;
    float x;
    float y;
    switch (sensor.strips) {
        case PARALLEL:
            return false;
        case FRONT_VERTICAL:
            x = front;
            y = sensor.height - quotient(front - back, tan_back);
            break;
        case BACK_VERTICAL:
            x = back;
            y = sensor.height - quotient(back - front, tan_front);
            break;
        default:
            x = quotient(tan_back * front - tan_front * back, tan_back - tan_front);
            y = sensor.height + quotient(back - front, tan_back - tan_front);
    }
    local = {x - sensor.width / 2.0f, y - sensor.height / 2.0f};
    return sycl::fabs(local.x) <= sensor.width / 2.0f && sycl::fabs(local.y) <= sensor.height / 2.0f;
}

// Variances of x and y, by the errors of both sides along the edge.
DEVICE Spread spread_of(const Sensor& sensor, float front, float back) {
    const float tan_front = sensor.front.tangent;
    const float tan_back = sensor.back.tangent;
    const float ff = front * front;
    const float bb = back * back;
    const float both = ff + bb;
    switch (sensor.strips) {
        case BACK_VERTICAL:
            return {bb, quotient(quotient(both, tan_front), tan_front), quotient(-bb, tan_front)};
        case BOTH_TILTED: {
            const float g = quotient(quotient(1.0f, tan_back - tan_front), tan_back - tan_front);
            return {g * (ff * tan_back * tan_back + bb * tan_front * tan_front), g * both,
                    -g * (ff * tan_back + bb * tan_front)};
        }
        default:
            return {ff, quotient(quotient(both, tan_back), tan_back), quotient(-ff, tan_back)};
    }
}

// A coordinate of a point on the sensor in the detector.
DEVICE float in_detector(const Sensor& sensor, u32 axis, const Local& local) {
    return sensor.translation[axis] + sensor.rotation[3 * axis] * local.x + sensor.rotation[3 * axis + 1] * local.y;
}

// An entry of the covariance matrix in the detector.
DEVICE float rotated_entry(const Sensor& sensor, const Spread& spread, u32 row, u32 column) {
    const float a = sensor.rotation[3 * row];
    const float b = sensor.rotation[3 * row + 1];
    const float c = sensor.rotation[3 * column];
    const float d = sensor.rotation[3 * column + 1];
    return a * c * spread.xx + (a * d + b * c) * spread.xy + b * d * spread.yy;
}

// A variance of nothing may come out below it.
DEVICE float deviation(float variance) { return root(variance > 0 ? variance : 0); }

DEVICE Errors rotated(const Sensor& sensor, const Spread& spread) {
    return {deviation(rotated_entry(sensor, spread, 0, 0)), deviation(rotated_entry(sensor, spread, 1, 1)),
            deviation(rotated_entry(sensor, spread, 2, 2)), rotated_entry(sensor, spread, 0, 1)};
}

}  // namespace hits
