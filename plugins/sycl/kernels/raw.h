// Raw data of the STS: messages of microslices, their epochs, and hits by the tables of e-links. As
// raw.h of the native kernels.
#pragma once
#include "device.h"

// Messages: words of 32 bits.

constexpr u32 MESSAGE_BYTES = 4;
// A message that is none: a dummy.
constexpr u32 DUMMY = 0;

// The three highest bits of messages that are no hits.
constexpr u32 TYPE_SHIFT = 29;
constexpr u32 TS_MSB = 4;
constexpr u32 EPOCH = 5;

DEVICE bool is_epoch(u32 message) { return message >> TYPE_SHIFT == EPOCH; }
DEVICE bool is_ts_msb(u32 message) { return message >> TYPE_SHIFT == TS_MSB; }

// Number of the epoch of a TS_MSB.
DEVICE u32 number_of(u32 message) { return message & ((1u << TYPE_SHIFT) - 1); }

// Charge of a hit; dummies have none.
DEVICE u32 adc_of(u32 message) { return message >> 10 & 0x1f; }
DEVICE bool is_hit(u32 message) { return i32(message) >= 0 && adc_of(message) > 0; }
DEVICE u32 elink_of(u32 message) { return message >> 22 & 0x3f; }
DEVICE u32 channel_of(u32 message) { return message >> 15 & 0x7f; }

// Ticks of a hit since the begin of the epoch, without the highest bit.
DEVICE u32 ticks_of(u32 message) { return (message >> 1 & 0x1ff) | (message >> 30 & 1) << 9; }

// From ticks to eighths of ns, and half a ns more: what is cut then is rounded.
DEVICE u32 rounded_eighths(u32 ticks) { return 25 * ticks + 4; }

// A message at any byte, aligned or not.
DEVICE u32 message_at(const u8* at) {
    if (reinterpret_cast<std::uintptr_t>(at) % MESSAGE_BYTES == 0) return *reinterpret_cast<const u32*>(at);
    return at[0] | u32(at[1]) << 8 | u32(at[2]) << 16 | u32(at[3]) << 24;
}

// Microslices and counts, as in recobench.h.

struct Microslice {
    u64 first_byte, index, first_epoch, first_message;
    u32 bytes, board;
};

// The board of a microslice that is not unpacked.
constexpr u32 NO_BOARD = 0xffffffff;

// The first messages of a microslice: an epoch and a TS_MSB.
constexpr u32 FIRST_MESSAGES = 2;

struct Counts {
    u32 digis, other, elink, first, size, overflow, undefined;
};

DEVICE u32 messages_of(const Microslice& microslice) { return microslice.bytes / MESSAGE_BYTES; }

DEVICE bool has_wrong_size(const Microslice& microslice) {
    return microslice.bytes % MESSAGE_BYTES != 0 || messages_of(microslice) < FIRST_MESSAGES;
}

DEVICE bool has_wrong_first_messages(const u8* content) {
    return !is_epoch(message_at(content)) || !is_ts_msb(message_at(content + MESSAGE_BYTES));
}

// Tracking of epochs; all arithmetic wraps.

constexpr u64 EPOCHS_PER_CYCLE = 1 << 29;
constexpr u64 EPOCH_NS = 3200;
constexpr i64 CYCLE_NS = i64(EPOCH_NS * EPOCHS_PER_CYCLE);
constexpr u64 EIGHTHS_PER_EPOCH = 8 * EPOCH_NS;

// The first epoch of the cycle in which a microslice starts, counted from that in which its
// timeslice does. Signed division, as in the experiment's code.
DEVICE u64 first_of_cycle(const Microslice& microslice) {
    const u64 cycle = u64(i64(microslice.index) / CYCLE_NS);
    return cycle * EPOCHS_PER_CYCLE - microslice.first_epoch;
}

// The number of the epoch, and how many cycles have started since the microslice did.
struct Epoch {
    u32 number, wraps;

    // Epochs since that in which the timeslice starts.
    DEVICE u64 since_start(u64 first_of_cycle) const { return first_of_cycle + wraps * EPOCHS_PER_CYCLE + number; }
};

// Tables of e-links, as in recobench.h.

constexpr u32 ELINKS = 64;
constexpr u32 ASIC_CHANNELS = 128;
constexpr u32 ADC_VALUES = 32;

struct Link {
    u64 address, time_offset;
    double walk_ns[ADC_VALUES];
    u32 walks, cut;
    u32 masked[4];
    u16 charges[ADC_VALUES];
    u16 channels[ASIC_CHANNELS];
};

// The e-links of a board.
struct Board {
    u32 elinks;
    const Link* links;
};

DEVICE bool is_masked(const Link& link, u32 channel) { return link.masked[channel / 32] >> channel % 32 & 1; }

// A hit, step by step: right for all of them.

// Outcome of a hit: a digi, nothing, or a count.
enum Fate : u32 { DIGI, UNWANTED, UNKNOWN_ELINK, LATE, UNDEFINED };

// The code whose digis are right.
enum Rules : u32 { CURRENT, OF_2023 };

constexpr u32 MAX_TIME_NS = 0x7fffffff;
constexpr double END_OF_TIMES = 18446744073709551616.0;

// The time of a hit, if it becomes a digi.
DEVICE u32 fate_of_2023(u64 ns, u32& time) {
    time = u32(ns) & MAX_TIME_NS;
    return ns >> 32 == 0 ? DIGI : UNDEFINED;
}

DEVICE u32 current_fate(u64 ns, u32& time) {
    time = u32(ns);
    return ns <= MAX_TIME_NS ? DIGI : LATE;
}

// Outcome of a hit with a correction of its time.
DEVICE u32 corrected_fate(u64 ns, double walk_ns, u32& time) {
    const double corrected = double(ns) + walk_ns;
    if (corrected <= -1.0 || corrected >= END_OF_TIMES) return UNDEFINED;
    if (corrected >= double(MAX_TIME_NS) + 1.0) return LATE;
    time = u32(corrected);
    return DIGI;
}

// Outcome of a hit in an epoch, counted from that in which the timeslice starts.
DEVICE u32 fate_of(u32 message, u64 epoch, const Board& board, u32 rules, u64& digi) {
    const u32 elink = elink_of(message);
    const u32 adc = adc_of(message);
    const u32 channel = channel_of(message);
    if (elink >= board.elinks) return UNKNOWN_ELINK;
    const Link& link = board.links[elink];
    if (adc <= link.cut || is_masked(link, channel)) return UNWANTED;
    // The sum wraps before it is divided.
    const u64 ns = (epoch * EIGHTHS_PER_EPOCH + rounded_eighths(ticks_of(message))) / 8 - link.time_offset;
    u32 time = 0;
    const u32 fate = rules == OF_2023    ? fate_of_2023(ns, time)
                     : adc <= link.walks ? corrected_fate(ns, link.walk_ns[adc - 1], time)
                                         : current_fate(ns, time);
    const u16 channel_and_charge = u16(link.channels[channel] << 5 | link.charges[adc]);
    digi = link.address | u64(channel_and_charge) << 32 | time;
    return fate;
}

// The code of 2023 does not check the range.
DEVICE bool overflows(u32 fate, u32 rules) { return fate == LATE || (fate == UNDEFINED && rules == CURRENT); }
