// The detector's geometry for kernels: a word for each endpoint, then the pads of each row.
// Prepared by the launcher.
#pragma once
#include "portable.h"

namespace {

constexpr u32 ENDPOINTS = 20;

struct Geometry {
    const u32* words;

    // The rows of an endpoint as the row formats have them.
    __device__ __forceinline__ u32 first_row(u32 endpoint) const { return words[endpoint] & 0xff; }
    __device__ __forceinline__ u32 rows(u32 endpoint) const { return words[endpoint] >> 8 & 0xff; }
    // Its cards in the partition as the link formats have them.
    __device__ __forceinline__ u32 first_fec(u32 endpoint) const { return words[endpoint] >> 16 & 0xff; }
    __device__ __forceinline__ u32 end_of_fecs(u32 endpoint) const { return words[endpoint] >> 24; }
    __device__ __forceinline__ u32 pads_in_row(u32 row) const { return words[ENDPOINTS + row]; }
};

}  // namespace
