// Thresholds and the format of clusters (see finding.rs and cluster.rs), shared by all kernels.
#pragma once
#include "portable.h"

// Named namespace because NVRTC has to name the types of kernel arguments.
namespace cluster_finder {

constexpr u32 ROWS = 152;
// A bit for each pad of a row.
constexpr u32 NOISY_WORDS = 5;

// Thresholds of charges are in sixteenths of an ADC unit, like charges.
struct Settings {
    i32 qmax_cutoff, inner_threshold, noise_eps;
    i32 noise_eps_rel;  // in units of 1/255
    i32 qtot_cutoff;    // in ADC units
    i32 qmax_single_time, qmax_single_pad;
    u32 min_split;
    float time_shift;
};

// 12 bytes: time in 64ths and flags; pad in 64ths, widths in time and in pads in 32nds; the largest
// and the total charge.
struct PackedCluster {
    u32 time_and_flags, pad_and_widths, charges;
};

}  // namespace cluster_finder

namespace {

using namespace cluster_finder;

// Returns true if a charge next to a peak is so much smaller that there is a valley.
PORTABLE_INLINE bool is_valley(i32 peak, i32 charge, const Settings& settings) {
    const i32 difference = peak - charge;
    return difference > settings.noise_eps && 255 * difference > settings.noise_eps_rel * max(peak, charge);
}

// Flags of a cluster.
constexpr u32 SPLIT_PAD = 1;
constexpr u32 SPLIT_TIME = 2;
constexpr u32 EDGE = 4;
constexpr u32 SINGLE = 8;
// Flags are stored above the bits of the time.
constexpr u32 TIME_BITS = 24;
// Pads at either end of a row that are its edge.
constexpr i32 EDGE_PADS = 2;

struct Peak {
    i32 pad, time, charge;
};

struct Moments {
    float mean, width;
};

// A cluster before it is packed: its charge in sixteenths, its means relative to its peak, and how
// many of its charges are divided, in the direction of pads and of time.
struct Extent {
    i32 charge;
    Moments by_pad, by_time;
    u32 divided_pads, divided_times;
};

// At the edge of a row charges outside of it are missing: a mean on the inner side of the peak is
// replaced by the position of the peak.
PORTABLE_INLINE float moved_outwards(float mean, i32 pad) {
    return pad < EDGE_PADS ? fminf(mean, (float)pad) : fmaxf(mean, (float)pad);
}

// Rounds a non-negative value; halves round up, as if the sum with a half were exact. The
// difference is exact because it has no bits that `value` does not have.
PORTABLE_INLINE u32 rounded(float value) {
    const u32 cut = (u32)value;
    return cut + (value - (float)cut >= 0.5f ? 1 : 0);
}

// Packs a cluster around a peak in a row of `pads` pads; returns true if it is large enough.
PORTABLE_INLINE bool pack(const Extent& own, Peak peak, i32 pads, const Settings& settings, PackedCluster& packed) {
    const i32 qtot = (own.charge + 8) / 16;
    const bool is_edge = peak.pad < EDGE_PADS || peak.pad >= pads - EDGE_PADS;
    const float mean_pad = own.by_pad.mean + (float)peak.pad;
    const float pad = is_edge ? moved_outwards(mean_pad, peak.pad) : mean_pad;
    const float mean_time = own.by_time.mean + (float)peak.time;
    const bool no_pads = own.by_pad.width == 0.0f, no_times = own.by_time.width == 0.0f;
    const u32 flags = (own.divided_pads >= settings.min_split ? SPLIT_PAD : 0) |
                      (own.divided_times >= settings.min_split ? SPLIT_TIME : 0) | (is_edge ? EDGE : 0) |
                      (no_pads || no_times ? SINGLE : 0);
    const u32 time = rounded((mean_time - settings.time_shift) * 64.0f) & ((1u << TIME_BITS) - 1);
    const u32 sigma_time = min(rounded(own.by_time.width * 32.0f), 255u);
    const u32 sigma_pad = min(rounded(own.by_pad.width * 32.0f), 255u);
    packed.time_and_flags = flags << TIME_BITS | time;
    packed.pad_and_widths = sigma_pad << 24 | sigma_time << 16 | rounded(pad * 64.0f);
    packed.charges = (u32)qtot << 16 | (u32)peak.charge / 16;
    return qtot > settings.qtot_cutoff && mean_time >= settings.time_shift &&
           !(no_times && peak.charge <= settings.qmax_single_time) &&
           !(no_pads && peak.charge <= settings.qmax_single_pad);
}

}  // namespace
