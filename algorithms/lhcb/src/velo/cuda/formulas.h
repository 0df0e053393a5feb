// Positions and angles of hits, each operation rounded on its own.
// nvcc: -fmad=false
#pragma once
#include "portable.h"

typedef short i16;

namespace velo {

constexpr u32 MODULES = 52;
constexpr u32 COLUMNS = 768;
constexpr u32 TRANSFORMATION = 12;
// Offsets of the parts of a geometry: z of modules, x and widths of columns, sensors.
constexpr u32 COLUMN_X = MODULES;
constexpr u32 COLUMN_PITCH = COLUMN_X + COLUMNS;
constexpr u32 SENSORS_AT = COLUMN_PITCH + COLUMNS;

struct Position {
    float x, y, z;
};

// Angle around the beam in units of pi / 32768.
__device__ __forceinline__ i16 phi16(float x, float y) {
    const float quarter = __uint_as_float(0x3f490fdbu), three_quarters = __uint_as_float(0x4016cbe4u);
    const float units = __uint_as_float(0x4622f983u);
    const float a = fabsf(y);
    const bool is_right = x > 0.0f;
    // One division for both sides.
    const float r = (is_right ? x - a : x + a) / (is_right ? x + a : a - x);
    const float base = is_right ? quarter : three_quarters;
    const float angle = base - quarter * r;
    const float with_sign = __uint_as_float(__float_as_uint(angle) | (__float_as_uint(y) & 0x80000000u));
    const float scaled = with_sign * units;
    // Not a number at the beam itself.
    return fabsf(scaled) <= 65536.0f ? (i16)(i32)scaled : (i16)0;
}

// Position of a point on a sensor: a column with a fraction of its width, and local y.
__device__ __forceinline__ Position position(const float* geometry, u32 sensor, u32 column, float fraction, float y) {
    const float x = geometry[COLUMN_X + column] + fraction * geometry[COLUMN_PITCH + column];
    const float* t = geometry + SENSORS_AT + sensor * TRANSFORMATION;
    return {(t[0] * x + t[1] * y) + t[9], (t[3] * x + t[4] * y) + t[10], (t[6] * x + t[7] * y) + t[11]};
}

// Straight line through two positions, from the first on.
struct Line {
    Position from;
    float tx, ty;

    __device__ __forceinline__ Line(Position from, Position to) : from(from) {
        const float td = 1.0f / (to.z - from.z);
        tx = (to.x - from.x) * td;
        ty = (to.y - from.y) * td;
    }

    // Angle at a distance along the beam from its start.
    __device__ __forceinline__ i32 phi_at(float distance) const {
        return phi16(from.x + tx * distance, from.y + ty * distance);
    }

    // Square of the distance of a position in mm^2.
    __device__ __forceinline__ float scatter(Position hit) const {
        const float d = hit.z - from.z;
        const float dx = (from.x + tx * d) - hit.x, dy = (from.y + ty * d) - hit.y;
        return dx * dx + dy * dy;
    }
};

// Distance of two angles, which wraps.
__device__ __forceinline__ i32 phi_distance(i32 phi, i32 expected) { return (i16)(phi - expected); }

// Chi2 of a straight line through three hits.
__device__ __forceinline__ float chi2(const Position* hits) {
    const float w = 6400.0f;
    float s0 = 0, sx = 0, sz = 0, sxz = 0, sz2 = 0, sy = 0, syz = 0;
    for (u32 i = 0; i < 3; i++) {
        const Position hit = hits[i];
        s0 += w;
        sx += w * hit.x;
        sz += w * hit.z;
        sxz += (w * hit.x) * hit.z;
        sz2 += (w * hit.z) * hit.z;
        sy += w * hit.y;
        syz += (w * hit.y) * hit.z;
    }
    const float den = 1.0f / (sz2 * s0 - sz * sz);
    const float tx = (sxz * s0 - sx * sz) * den, x0 = (sx * sz2 - sxz * sz) * den;
    const float ty = (syz * s0 - sy * sz) * den, y0 = (sy * sz2 - syz * sz) * den;
    float chi = 0;
    for (u32 i = 0; i < 3; i++) {
        const Position hit = hits[i];
        const float dx = (x0 + tx * hit.z) - hit.x, dy = (y0 + ty * hit.z) - hit.y;
        chi += (dx * dx) * w + (dy * dy) * w;
    }
    return chi * 0.5f;
}

}  // namespace velo
