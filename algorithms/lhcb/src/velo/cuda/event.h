// Events, and their hits in device memory.
#pragma once
#include "formulas.h"
#include "scan.h"
// nvcc: -fmad=false

namespace velo {

constexpr u32 PAIRS = 26;
constexpr u32 MAX_BANKS_OF_PAIR = 8;
constexpr u32 RETINA = 1;

// Extent of a bank: its first word among all, and the sensor or pair of sensors.
struct Bank {
    u32 first_word;
    u16 words, source;
};

// Extent and format of an event.
struct EventHeader {
    u32 first_bank;
    u16 banks;
    u8 kind, version;
};

// Events of a batch: banks in order of pairs of modules. `bases` has the first slot of each event.
struct Events {
    const u32* words;
    const Bank* banks;
    const EventHeader* headers;
    const u32* bases;
    const float* geometry;
    u32 first, count;
};

// Hits of a pair of modules: the index of the first in the arrays, the number, the estimated number, and the
// first slot in the event.
struct PairHits {
    u32 first, count, estimate, start;
};

// A hit: its position in mm, and its identifier.
struct Hit {
    float x;
    float y;
    float z;
    u32 id;
};

// The same with a position of 16 bits.
struct HalfHit {
    u16 x;
    u16 y;
    u16 z;
    u16 unused;
    u32 id;
};

// Hits, and their angles.
struct HitArrays {
    Hit* hits;
    i16* phi;
};

struct HalfArrays {
    HalfHit* hits;
    i16* phi;
};

// Hits with positions of either precision, and their angles: kernels have an instance for each, which is given one of
// the pointers.
struct AnyHits {
    Hit* hits;
    HalfHit* half_hits;
    i16* phi;
};

template <class Arrays> __device__ __forceinline__ Arrays typed(const AnyHits& any);
template <> __device__ __forceinline__ HitArrays typed<HitArrays>(const AnyHits& any) { return {any.hits, any.phi}; }
template <> __device__ __forceinline__ HalfArrays typed<HalfArrays>(const AnyHits& any) { return {any.half_hits, any.phi}; }

// The half nearest to a number, and the number of a half.
__device__ __forceinline__ u16 half_of(float value) {
#if defined(__CUDA_ARCH__)
    u16 half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
#else
    const u32 bits = __float_as_uint(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x47800000u) return (u16)(sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u));
    if (magnitude < 0x38800000u) {
        // Denormal: in units of 2^-24, rounded by the addition of a number whose last bit is that.
        const float sum = __uint_as_float(magnitude) + 0.5f;
        return (u16)(sign | (__float_as_uint(sum) - 0x3f000000u));
    }
    const u32 rounded = magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u);
    return (u16)(sign | rounded >> 13);
#endif
}

__device__ __forceinline__ float number_of(u16 half) {
#if defined(__CUDA_ARCH__)
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
#else
    const u32 sign = (u32)(half & 0x8000u) << 16, magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) return __uint_as_float(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude < 0x400u) {
        const float value = (float)magnitude * (1.0f / 16777216.0f);
        return __uint_as_float(__float_as_uint(value) | sign);
    }
    return __uint_as_float(sign | ((magnitude << 13) + 0x38000000u));
#endif
}

__device__ __forceinline__ Hit hit_at(const HitArrays& arrays, u32 index) {
    // In one access.
    const uint4 hit = *reinterpret_cast<const uint4*>(arrays.hits + index);
    return {__uint_as_float(hit.x), __uint_as_float(hit.y), __uint_as_float(hit.z), hit.w};
}
__device__ __forceinline__ HalfHit hit_at(const HalfArrays& arrays, u32 index) { return arrays.hits[index]; }

__device__ __forceinline__ Position position_of(const Hit& hit) { return {hit.x, hit.y, hit.z}; }
__device__ __forceinline__ Position position_of(const HalfHit& hit) { return {number_of(hit.x), number_of(hit.y), number_of(hit.z)}; }

template <class Arrays> __device__ __forceinline__ Position load_position(const Arrays& arrays, u32 index) {
    return position_of(hit_at(arrays, index));
}

// Stores a hit with its angle.
__device__ __forceinline__ void store_hit_at(const HitArrays& arrays, u32 index, Position at, u32 id, i16 phi) {
    *reinterpret_cast<uint4*>(arrays.hits + index) =
        make_uint4(__float_as_uint(at.x), __float_as_uint(at.y), __float_as_uint(at.z), id);
    arrays.phi[index] = phi;
}
__device__ __forceinline__ void store_hit_at(const HalfArrays& arrays, u32 index, Position at, u32 id, i16 phi) {
    arrays.hits[index] = {half_of(at.x), half_of(at.y), half_of(at.z), 0, id};
    arrays.phi[index] = phi;
}

template <class Arrays> __device__ __forceinline__ u32 id_of(const Arrays& arrays, u32 index) { return arrays.hits[index].id; }

template <class Arrays> __device__ __forceinline__ void copy_hit(const Arrays& from, u32 source, const Arrays& to, u32 target) {
    to.hits[target] = from.hits[source];
    to.phi[target] = from.phi[source];
}

// Position of a point on the sensor that an identifier names: a fraction of the column's width, and local y.
__device__ __forceinline__ Position position_on_sensor(const float* geometry, u32 id, float fraction, float y) {
    return position(geometry, id >> 18 & 255, (id >> 16 & 3) * 256 + (id >> 8 & 255), fraction, y);
}

// Stores a hit, whose position is computed.
template <class Arrays>
__device__ __forceinline__ void store_hit(
    const Arrays& arrays, u32 index, const float* geometry, u32 id, float fraction, float y) {
    const Position at = position_on_sensor(geometry, id, fraction, y);
    store_hit_at(arrays, index, at, id, phi16(at.x, at.y));
}

// Identifier of a pixel.
__device__ __forceinline__ u32 identifier(u32 sensor, u32 column, u32 row) {
    return 0x20000000u | sensor << 18 | (column / 256) << 16 | (column % 256) << 8 | row;
}

__device__ __forceinline__ u32 first_sensor(const EventHeader& event, const Bank& bank) {
    return event.version >= 4 ? 2 * (bank.source % 512u) : bank.source;
}

}  // namespace velo
