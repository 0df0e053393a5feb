// Epochs of a piece, and the epoch before it: the only values that depend on earlier messages of a
// microslice.
//
// A piece publishes its own TS_MSBs at once, and the epoch after it as soon as it knows the one
// before. A status is one word: 29 bits of the number of its last epoch, above these 29 bits of
// that of its first one, or the number of cycles that have started since the microslice did. A
// piece in which a cycle starts, which is rare, publishes only the latter.
#pragma once
#include "../raw/epoch.h"
#include "piece.h"

constexpr u32 STATE_SHIFT = 62;
constexpr u64 WITHOUT_EPOCHS = 1ull << STATE_SHIFT;
constexpr u64 PIECE_EPOCHS = 2ull << STATE_SHIFT;
constexpr u64 UP_TO_PIECE = 3ull << STATE_SHIFT;

// The highest lane of a mask; any if there is none.
PORTABLE_INLINE int highest_lane(lanemask_t mask) { return mask == 0 ? 0 : LANES - 1 - clz(mask); }

// The TS_MSBs of a piece.
struct Epochs {
    // Before a lane's messages in each row: the number of the epoch, or 0 if none of the piece is
    // known.
    u32 known[ROWS];
    // The numbers of the first and the last epoch, if there are any, and how many are smaller than
    // the one before.
    bool any = false;
    u32 first = 0, last = 0, wraps = 0;

    __device__ __forceinline__ explicit Epochs(const u32 (&messages)[ROWS][MESSAGES_AT_ONCE]) {
        u32 lane_wraps = 0;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            find(messages[row], known[row]);
            u32 number = known[row];
#pragma unroll
            for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
                if (!is_ts_msb(messages[row][i])) continue;
                // None is smaller than 0.
                lane_wraps += number_of(messages[row][i]) < number;
                number = number_of(messages[row][i]);
            }
        }
        if (__any_sync(FULL_MASK, lane_wraps > 0)) wraps = __reduce_add_sync(FULL_MASK, lane_wraps);
    }

    // The epoch after the piece.
    __device__ __forceinline__ Epoch behind(Epoch before) const {
        if (!any) return before;
        return {last, before.wraps + (first < before.number) + wraps};
    }

  private:
    // Adds a row, and returns the number that is known before a lane's own messages.
    __device__ __forceinline__ void find(const u32 (&messages)[MESSAGES_AT_ONCE], u32& known_before) {
        bool starts_epoch = false;
        u32 lane_first = 0, lane_last = 0;
#pragma unroll
        for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
            if (!is_ts_msb(messages[i])) continue;
            lane_last = number_of(messages[i]);
            lane_first = starts_epoch ? lane_first : lane_last;
            starts_epoch = true;
        }
        const lanemask_t all = __ballot_sync(FULL_MASK, starts_epoch);
        const lanemask_t below = all & lanemask_lt(threadIdx.x % LANES);
        const u32 of_below = __shfl_sync(FULL_MASK, lane_last, highest_lane(below));
        known_before = below != 0 ? of_below : last;
        if (all == 0) return;
        if (!any) first = __shfl_sync(FULL_MASK, lane_first, ffs(all) - 1);
        last = __shfl_sync(FULL_MASK, lane_last, highest_lane(all));
        any = true;
    }
};

// The states of pieces before one are known up to one that knows all: which epoch is before it.
struct EpochBefore {
    u64 state;
    u32 known;  // the lane that knows it

    // Waits for one piece per lane, those of the microslice before its `number`-th one, from the
    // nearest on. The first piece of a microslice always knows its epoch.
    __device__ __forceinline__ EpochBefore(const u64* states, u32 piece, u32 number) {
        const u32 lane = threadIdx.x % LANES;
        while (true) {
            state = lane < number ? load_relaxed(&states[piece - 1 - lane]) : UP_TO_PIECE;
            const lanemask_t published = __ballot_sync(FULL_MASK, state != 0);
            const lanemask_t with_sum = __ballot_sync(FULL_MASK, state >= UP_TO_PIECE);
            known = (u32)ffs(with_sum) - 1;
            if (with_sum != 0 && (~published & lanemask_lt(known)) == 0) return;
            __nanosleep(20);
        }
    }

    __device__ __forceinline__ Epoch epoch() const {
        constexpr u32 NUMBER = (1u << TYPE_SHIFT) - 1;
        const u32 lane = threadIdx.x % LANES;
        const u32 last = (u32)state & NUMBER, first = (u32)(state >> TYPE_SHIFT & (2 * NUMBER + 1));
        const bool any = lane <= known && state >= PIECE_EPOCHS;
        const lanemask_t with_epochs = __ballot_sync(FULL_MASK, any);
        // Earlier pieces are in higher lanes.
        const lanemask_t above = with_epochs & ~lanemask_lt(lane) & ~((lanemask_t)1 << lane);
        const u32 before = __shfl_sync(FULL_MASK, last, above != 0 ? ffs(above) - 1 : 0);
        const bool wraps = any && lane < known && first < before;
        const u32 all_wraps = (u32)popc(__ballot_sync(FULL_MASK, wraps)) + __shfl_sync(FULL_MASK, first, (int)known);
        return {__shfl_sync(FULL_MASK, last, ffs(with_epochs) - 1), all_wraps};
    }
};

// Publishes the epochs of a piece, and returns the epoch before it. A whole warp calls it; pieces
// before are those of warps that have already started.
PORTABLE_INLINE Epoch wait_for_epoch_before(u64* states, u32 piece, u32 number, const u8* content,
                                            const Epochs& epochs) {
    const bool is_writer = threadIdx.x % LANES == 0;
    Epoch before = {number_of(message_at(content + MESSAGE_BYTES)), 0};
    if (number > 0) {
        const u64 state = epochs.any ? PIECE_EPOCHS | (u64)epochs.first << TYPE_SHIFT | epochs.last : WITHOUT_EPOCHS;
        if (is_writer && epochs.wraps == 0) store_relaxed(&states[piece], state);
        before = EpochBefore(states, piece, number).epoch();
    }
    const Epoch behind = epochs.behind(before);
    if (is_writer) store_relaxed(&states[piece], UP_TO_PIECE | (u64)behind.wraps << TYPE_SHIFT | behind.number);
    return before;
}

// The epoch before a piece, after all pieces have published the epoch after them.
PORTABLE_INLINE Epoch known_epoch_before(const u64* states, u32 piece, u32 number, const u8* content) {
    if (number == 0) return {number_of(message_at(content + MESSAGE_BYTES)), 0};
    const u64 state = states[piece - 1];
    return {number_of((u32)state), (u32)(state >> TYPE_SHIFT)};
}
