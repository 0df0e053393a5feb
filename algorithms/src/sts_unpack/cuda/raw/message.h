// Messages: words of 32 bits (see generators::sts::raw::Message).
#pragma once
#include "portable.h"

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
