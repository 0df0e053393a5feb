// What kernels are told of sectors, and samples as they come (see cases.rs).
#pragma once
#include "portable.h"

// What kernels are given has names that NVRTC needs to know.
namespace cluster_finder {

constexpr u32 ROWS = 152;
// A bit for each pad of a row.
constexpr u32 NOISY_WORDS = 5;

// Thresholds of charges are in sixteenths of an ADC unit, as charges are.
struct Settings {
    i32 qmax_cutoff, inner_threshold, noise_eps;
    i32 noise_eps_rel;  // in 255ths
    i32 qtot_cutoff;    // in ADC units
    i32 qmax_single_time, qmax_single_pad;
    u32 min_split;
    float time_shift;
};

struct Sector {
    u32 first_sample;
    u32 time_bins;
    Settings settings;
};

}  // namespace cluster_finder

namespace {

using namespace cluster_finder;

// A sample: time bin, pad, row and charge.
struct Sample {
    u32 time, pad, row, charge;
};

PORTABLE_INLINE Sample sample_of(u64 word) {
    return {(u32)word, (u32)(word >> 32) & 0xff, (u32)(word >> 40) & 0xff, (u32)(word >> 48)};
}

// Whether a charge beside a peak is so much smaller that there is a valley.
PORTABLE_INLINE bool is_valley(i32 peak, i32 charge, const Settings& settings) {
    const i32 difference = peak - charge;
    return difference > settings.noise_eps && 255 * difference > settings.noise_eps_rel * max(peak, charge);
}

}  // namespace
