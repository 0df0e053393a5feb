// Sectors with their samples, in input format (see cases.rs).
#pragma once
#include "finding.h"

// Named namespace because NVRTC has to name the types of kernel arguments.
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
