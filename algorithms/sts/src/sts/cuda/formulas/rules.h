// The rules by which clusters and hits are found, and the geometry of sensors.
// nvcc: -fmad=false
#pragma once
#include "portable.h"
#include "records.h"

// Crossings of the strips of both sides: see sts/formulas/sensor.rs. Operations are in its order
// and none are fused, so results are the same to the bit.

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

// In what `exact` and `published` differ: see sts/rules.rs.

// Largest time difference of a digi and its successor.
struct Window {
    float ns;
    // The window for integer differences; below 0 no digis are near.
    i32 whole_ns;
    // Two digis of a channel no further apart may both see a third one.
    u32 crowd_ns;
};

// Number of predecessors that a digi may have.
enum class Successors { SHARED, EXCLUSIVE };

// Whole times, no digi in two clusters, all lines of strips that lean to the left,
// errors of the global coordinates.
struct Exact {
    static constexpr Successors SUCCESSORS = Successors::EXCLUSIVE;

    __device__ __forceinline__ static bool not_after(const Window& window, u32 time, u32 follower) {
        return (long long)time + window.whole_ns >= (long long)follower;
    }

    // Lower limit that a successor has to reach to be not too early.
    struct Earliest {
        u32 min_time;

        __device__ __forceinline__ Earliest(const Window& window, u32 time)
            : min_time((u32)max((long long)time - window.whole_ns, 0ll)) {}
        __device__ __forceinline__ bool is_reached(u32 follower) const { return follower >= min_time; }
    };

    // The times of a chain's digis.
    struct Times {
        u64 sum = 0;
        u32 min_time = ~0u;
        __device__ __forceinline__ void add(u32 time) {
            sum += time;
            min_time = min(min_time, time);
        }
        // Divides what is above the least time, which hardly ever takes 64 bits.
        __device__ __forceinline__ u32 mean(u32 size, u32, u32) const {
            const u64 above = sum - (u64)min_time * size;
            return min_time + (above >> 32 == 0 ? (u32)above / size : (u32)(above / size));
        }
    };

    // Times have 31 bits.
    __device__ __forceinline__ static float delay(u32 front, u32 back) { return (float)(i32)(front - back); }
    __device__ __forceinline__ static u32 hit_time(u32 front, u32 back) { return (u32)(((u64)front + back) / 2); }
    __device__ __forceinline__ static i32 widths(float exact) { return (i32)floorf(exact); }
    __device__ __forceinline__ static Errors errors(const Sensor& sensor, const Spread& spread) {
        return rotated(sensor, spread);
    }
};

// Single precision, as in the experiment's code.
struct Published {
    static constexpr Successors SUCCESSORS = Successors::SHARED;

    __device__ __forceinline__ static bool not_after(const Window& window, u32 time, u32 follower) {
        return (float)time + window.ns >= (float)follower;
    }

    class Earliest {
        float min_time;

      public:
        __device__ __forceinline__ Earliest(const Window& window, u32 time) : min_time((float)time - window.ns) {}
        __device__ __forceinline__ bool is_reached(u32 follower) const { return (float)follower >= min_time; }
    };

    struct Times {
        float sum = 0;
        __device__ __forceinline__ void add(u32 time) { sum += (float)time; }
        __device__ __forceinline__ u32 mean(u32 size, u32 first, u32 last) const {
            if (size == 1) return first;
            if (size == 2) return (u32)(0.5f * (float)(first + last));
            return (u32)(sum / (float)size);
        }
    };

    __device__ __forceinline__ static float delay(u32 front, u32 back) { return (float)front - (float)back; }
    __device__ __forceinline__ static u32 hit_time(u32 front, u32 back) {
        return (u32)(0.5f * ((float)front + (float)back));
    }
    __device__ __forceinline__ static i32 widths(float exact) { return (i32)exact; }
    __device__ __forceinline__ static Errors errors(const Sensor&, const Spread& spread) {
        return {sqrtf(spread.xx), sqrtf(spread.yy), 0, spread.xy};
    }
};
