// Tables of boards (see tables.rs and lookup.rs).
#pragma once
#include "portable.h"

constexpr u32 ELINKS = 64;
constexpr u32 ASIC_CHANNELS = 128;
constexpr u32 ADC_VALUES = 32;

// Hits usually have small charges: with one more word for each e-link these are not all in the same
// banks of shared memory.
constexpr u32 TIMES_OF_ELINK = ADC_VALUES + 1;
constexpr u32 TIMES = ELINKS * TIMES_OF_ELINK;
constexpr u32 ALL_CHANNELS = ELINKS * ASIC_CHANNELS;

struct Link {
    u64 address, time_offset;
    double walk_ns[ADC_VALUES];
    u32 walks, cut;
    u32 masked[4];
    u16 charges[ADC_VALUES];
    u16 channels[ASIC_CHANNELS];
};

// Values that follow from a hit's own bits, in as few bytes as possible: the correction of its
// time, by e-link and charge; the upper half of its digi, by e-link, with the highest bit of the
// address in bit 0 and the smallest channel of the e-link; and the difference from that channel, by
// e-link and channel.
struct __align__(16) Lookup {
    i32 times[TIMES];
    u32 uppers[ELINKS];
    u8 channels[ALL_CHANNELS];
};

// Codes of hits that are dropped: one of these instead of a time, or this instead of a channel.
constexpr i32 UNKNOWN_TIME = -0x7fffffff;
constexpr u32 MASKED = 255;
constexpr u32 ADDRESS_HIGH = 1;
// The one channel that is far from all others of its e-link, and what stands for it.
constexpr u32 FAR = 254;
constexpr u32 FAR_CHANNEL = 2046;
constexpr u32 CHANNEL_SHIFT_IN_UPPER = 5;

// Hits can be looked up in the epochs from `inner_begin` on and before `inner_end`, counted from
// that in which the timeslice starts.
struct __align__(16) Board {
    u32 inner_begin, inner_end, elinks, unused;
    Lookup lookup;
    Link links[ELINKS];
};

PORTABLE_INLINE bool is_masked(const Link& link, u32 channel) { return link.masked[channel / 32] >> channel % 32 & 1; }
