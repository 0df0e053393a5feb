// What boards read, and how (see tables.rs and lookup.rs).
#pragma once
#include "portable.h"

constexpr u32 ELINKS = 64;
constexpr u32 ASIC_CHANNELS = 128;
constexpr u32 ADC_VALUES = 32;

constexpr u32 TIMES = ELINKS * ADC_VALUES;
constexpr u32 ALL_CHANNELS = ELINKS * ASIC_CHANNELS;

struct Link {
    u64 address, time_offset;
    double walk_ns[ADC_VALUES];
    u32 walks, cut;
    u32 masked[4];
    u16 charges[ADC_VALUES];
    u16 channels[ASIC_CHANNELS];
};

// What follows from a hit's own bits, in as few bytes as possible: what is added to its time, by
// e-link and charge, and the upper half of its digi: bits 16 to 31 by e-link, with the highest bit of
// the address in bit 0, and the others by e-link and channel.
struct __align__(16) Lookup {
    i32 times[TIMES];
    u32 addresses[ELINKS];
    u16 channels[ALL_CHANNELS];
};

// Of a hit that is dropped: one of these instead of a time, or this bit of the channel.
constexpr i32 UNKNOWN_TIME = -0x7fffffff;
constexpr u32 MASKED = 2;
constexpr u32 ADDRESS_HIGH = 1;

// Hits can be looked up in the epochs from `inner_begin` on and before `inner_end`, counted from that
// in which the timeslice begins.
struct __align__(16) Board {
    u32 inner_begin, inner_end, elinks, unused;
    Lookup lookup;
    Link links[ELINKS];
};

PORTABLE_INLINE bool is_masked(const Link& link, u32 channel) { return link.masked[channel / 32] >> channel % 32 & 1; }
