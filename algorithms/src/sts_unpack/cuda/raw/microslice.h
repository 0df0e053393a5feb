// Microslices as kernels get them, and what is counted in them.
#pragma once
#include "message.h"

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
