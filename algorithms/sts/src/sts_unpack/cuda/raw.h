// Raw data: messages of microslices, their epochs, and hits by the tables of boards.
#pragma once
#include "portable.h"

// Messages: words of 32 bits (see generators::sts::raw::Message).

constexpr u32 MESSAGE_BYTES = 4;
// A message that is none: a dummy.
constexpr u32 DUMMY = 0;

// The three highest bits of messages that are no hits.
constexpr u32 TYPE_SHIFT = 29;
constexpr u32 TS_MSB = 4;
constexpr u32 EPOCH = 5;

PORTABLE_INLINE bool is_epoch(u32 message) { return message >> TYPE_SHIFT == EPOCH; }

PORTABLE_INLINE bool is_ts_msb(u32 message) { return message >> TYPE_SHIFT == TS_MSB; }

// Number of the epoch of a TS_MSB.
PORTABLE_INLINE u32 number_of(u32 message) { return message & ((1u << TYPE_SHIFT) - 1); }

// Charge of a hit; dummies have none.
PORTABLE_INLINE u32 adc_of(u32 message) { return message >> 10 & 0x1f; }

PORTABLE_INLINE bool is_hit(u32 message) { return (i32)message >= 0 && adc_of(message) > 0; }

PORTABLE_INLINE u32 elink_of(u32 message) { return message >> 22 & 0x3f; }

PORTABLE_INLINE u32 channel_of(u32 message) { return message >> 15 & 0x7f; }

// E-link and channel of a hit in one number.
PORTABLE_INLINE u32 elink_and_channel_of(u32 message) { return message >> 15 & 0x1fff; }

// Ticks of a hit since the begin of the epoch, without the highest bit.
PORTABLE_INLINE u32 ticks_of(u32 message) { return (message >> 1 & 0x1ff) | (message >> 30 & 1) << 9; }

// From ticks to eighths of ns, and half a ns more: what is cut then is rounded.
PORTABLE_INLINE u32 rounded_eighths(u32 ticks) { return 25 * ticks + 4; }

// A message at any byte, aligned or not.
PORTABLE_INLINE u32 message_at(const u8* at) {
    if ((u64)at % MESSAGE_BYTES == 0) return *reinterpret_cast<const u32*>(at);
    return at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
}

// Microslices as kernels get them, and what is counted in them.

// See survey.rs.
struct Job {
    u64 begin, index, first_epoch;
    u32 bytes, board;
};

// The board of a job that is not unpacked.
constexpr u32 NO_BOARD = 0xffffffff;

// The first messages of a microslice: an epoch and a TS_MSB.
constexpr u32 FIRST_MESSAGES = 2;

// See generators::sts::raw::MicrosliceCounts.
struct Counts {
    u32 digis, other, elink, first, size, overflow, undefined;
};

PORTABLE_INLINE u32 messages_of(const Job& job) { return job.bytes / MESSAGE_BYTES; }

PORTABLE_INLINE bool has_wrong_size(const Job& job) {
    return job.bytes % MESSAGE_BYTES != 0 || messages_of(job) < FIRST_MESSAGES;
}

PORTABLE_INLINE bool has_wrong_first_messages(const u8* content) {
    return !is_epoch(message_at(content)) || !is_ts_msb(message_at(content + MESSAGE_BYTES));
}

// Tracking of epochs (see epoch.rs); all arithmetic wraps.

constexpr u64 EPOCHS_PER_CYCLE = 1 << 29;
constexpr u64 EPOCH_NS = 3200;
constexpr u64 CYCLE_NS = EPOCH_NS * EPOCHS_PER_CYCLE;
constexpr u64 EIGHTHS_PER_EPOCH = 8 * EPOCH_NS;

// The first epoch of the cycle in which a microslice starts, counted from that in which its
// timeslice does. Signed division, as in the experiment's code.
PORTABLE_INLINE u64 first_of_cycle(const Job& job) {
    const u64 cycle = (u64)((long long)job.index / (long long)CYCLE_NS);
    return cycle * EPOCHS_PER_CYCLE - job.first_epoch;
}

// The number of the epoch, and how many cycles have started since the microslice did.
struct Epoch {
    u32 number, wraps;

    // The next number: a smaller one is of the next cycle.
    __device__ __forceinline__ void advance(u32 next) {
        wraps += next < number;
        number = next;
    }

    // Epochs since that in which the timeslice starts.
    __device__ __forceinline__ u64 since_start(u64 first_of_cycle) const {
        return first_of_cycle + wraps * EPOCHS_PER_CYCLE + number;
    }
};

// Tables of boards (see tables.rs and lookup.rs).

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

// A hit, step by step (see exact.rs): right for all of them.

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
