// Sectors with their samples, as they come (see cases.rs).
#pragma once
#include "finding.h"

// What kernels are given has names that NVRTC needs to know.
namespace cluster_finder {

struct Sector {
    u32 first_sample;
    u32 time_bins;
    Settings settings;
};

}  // namespace cluster_finder

namespace {

// A sample: time bin, pad, row and charge.
struct Sample {
    u32 time, pad, row, charge;
};

PORTABLE_INLINE Sample sample_of(u64 word) {
    return {(u32)word, (u32)(word >> 32) & 0xff, (u32)(word >> 40) & 0xff, (u32)(word >> 48)};
}

}  // namespace
