// The mask in front of a row page's record: the rows with samples of a time bin.
#pragma once
#include "geometry.h"

namespace {

// In the mask: the endpoint is the second of its region.
constexpr u32 SECOND_HALF = 1u << 15;

__device__ __forceinline__ u32 rows_of_mask(u32 mask) { return mask & ~SECOND_HALF; }

// What masks of an endpoint may be.
struct RowMasks {
    u32 known, half;

    __device__ __forceinline__ RowMasks(Geometry geometry, u32 endpoint)
        : known((1u << geometry.rows(endpoint)) - 1), half(endpoint & 1 ? SECOND_HALF : 0) {}

    __device__ __forceinline__ bool is_sound(u32 mask) const {
        const bool right_half = mask == 0 || (mask & SECOND_HALF) == half;
        return right_half && (rows_of_mask(mask) & ~known) == 0;
    }
};

}  // namespace
