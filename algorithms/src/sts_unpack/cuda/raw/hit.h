// A hit, step by step (see exact.rs): right for all of them.
#pragma once
#include "board.h"
#include "epoch.h"

// Outcome of a hit: a digi, nothing, or a count.
enum Fate : u32 { DIGI, UNWANTED, UNKNOWN_ELINK, LATE, UNDEFINED };

// The code whose digis are right.
enum Rules : u32 { CURRENT, OF_2023 };

constexpr u32 MAX_TIME_NS = 0x7fffffff;
constexpr double END_OF_TIMES = 18446744073709551616.0;

// The time of a hit, if it becomes a digi.
PORTABLE_INLINE u32 fate_of_2023(u64 ns, u32& time) {
    time = (u32)ns & MAX_TIME_NS;
    return ns >> 32 == 0 ? DIGI : UNDEFINED;
}

PORTABLE_INLINE u32 current_fate(u64 ns, u32& time) {
    time = (u32)ns;
    return ns <= MAX_TIME_NS ? DIGI : LATE;
}

// Outcome of a hit with a correction of its time.
PORTABLE_INLINE u32 corrected_fate(u64 ns, double walk_ns, u32& time) {
    const double corrected = (double)ns + walk_ns;
    if (corrected <= -1.0 || corrected >= END_OF_TIMES) return UNDEFINED;
    if (corrected >= (double)MAX_TIME_NS + 1.0) return LATE;
    time = (u32)corrected;
    return DIGI;
}

// Outcome of a hit in an epoch, counted from that in which the timeslice starts.
PORTABLE_INLINE u32 fate_of(u32 message, u64 epoch, const Board& board, u32 rules, u64& digi) {
    const u32 elink = elink_of(message), adc = adc_of(message), channel = channel_of(message);
    if (elink >= board.elinks) return UNKNOWN_ELINK;
    const Link& link = board.links[elink];
    if (adc <= link.cut || is_masked(link, channel)) return UNWANTED;
    // The sum wraps before it is divided.
    const u64 ns = (epoch * EIGHTHS_PER_EPOCH + rounded_eighths(ticks_of(message))) / 8 - link.time_offset;
    u32 time = 0;
    const u32 fate = rules == OF_2023    ? fate_of_2023(ns, time)
                     : adc <= link.walks ? corrected_fate(ns, link.walk_ns[adc - 1], time)
                                         : current_fate(ns, time);
    const u16 channel_and_charge = (u16)(link.channels[channel] << 5 | link.charges[adc]);
    digi = link.address | (u64)channel_and_charge << 32 | time;
    return fate;
}

// The code of 2023 does not check the range.
PORTABLE_INLINE bool overflows(u32 fate, u32 rules) {
    return fate == LATE || (fate == UNDEFINED && rules == CURRENT);
}
