// Pieces of microslices: the messages that a warp processes at once, 16 bytes and then 16 bytes per
// lane, split at multiples of 16 bytes.
#pragma once
#include "../raw/microslice.h"

// Messages that a lane loads at once, and how often it does.
constexpr u32 MESSAGES_AT_ONCE = 4;
constexpr u32 ROWS = 4;
constexpr u32 MESSAGES_OF_LANE = ROWS * MESSAGES_AT_ONCE;
constexpr u32 BYTES_AT_ONCE = MESSAGES_AT_ONCE * MESSAGE_BYTES;
constexpr u32 PIECE_BYTES = MESSAGES_OF_LANE * MESSAGE_BYTES * LANES;

// Index of a piece and its microslice. Padding has `NO_JOB`.
struct Piece {
    u32 job, number;
};

constexpr u32 NO_JOB = 0xffffffff;

// The messages of a piece: those of `size` bytes, but for the first `skipped` of these, which are
// before the third message of the microslice.
struct Messages {
    const u8* window;
    u32 skipped, size;

    __device__ __forceinline__ Messages(const u8* bytes, const Job& job, u32 number) {
        constexpr u32 FIRST_BYTES = FIRST_MESSAGES * MESSAGE_BYTES;
        const u64 begin = job.begin + FIRST_BYTES;
        // Nothing but what is no multiple of 4, which no shift helps, stays no multiple of 16.
        const u32 shift = (u32)begin % BYTES_AT_ONCE / MESSAGE_BYTES * MESSAGE_BYTES;
        const u64 before = (u64)number * PIECE_BYTES;
        window = bytes + begin - shift + before;
        skipped = number == 0 ? shift : 0;
        size = (u32)min((u64)PIECE_BYTES, job.bytes - FIRST_BYTES + shift - before);
    }

    __device__ __forceinline__ u32 count() const { return (size - skipped) / MESSAGE_BYTES; }

    // The message at a byte of the window; a dummy outside.
    __device__ __forceinline__ u32 at(u32 byte) const {
        return byte >= skipped && byte < size ? message_at(window + byte) : DUMMY;
    }

    // The messages of a lane in each row. The data have 16 bytes more than they need.
    __device__ __forceinline__ void load(u32 (&messages)[ROWS][MESSAGES_AT_ONCE]) const {
        const bool is_aligned = (u64)window % BYTES_AT_ONCE == 0;
        const bool is_whole = skipped == 0 && size == PIECE_BYTES;
        const u32 lane = threadIdx.x % LANES;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const u32 byte = (row * LANES + lane) * BYTES_AT_ONCE;
            uint4 four = make_uint4(DUMMY, DUMMY, DUMMY, DUMMY);
            if (is_aligned) {
                if (byte < size) four = __ldcs(reinterpret_cast<const uint4*>(window + byte));
            } else {
                four = one_by_one(byte);
            }
            messages[row][0] = four.x;
            messages[row][1] = four.y;
            messages[row][2] = four.z;
            messages[row][3] = four.w;
        }
        if (is_whole) return;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
#pragma unroll
            for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
                const u32 byte = (row * LANES + lane) * BYTES_AT_ONCE + i * MESSAGE_BYTES;
                if (byte < skipped || byte >= size) messages[row][i] = DUMMY;
            }
        }
    }

  private:
    __device__ __forceinline__ uint4 one_by_one(u32 byte) const {
        uint4 four = make_uint4(DUMMY, DUMMY, DUMMY, DUMMY);
#pragma unroll 1
        for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
            four = make_uint4(four.y, four.z, four.w, at(byte + i * MESSAGE_BYTES));
        }
        return four;
    }
};
