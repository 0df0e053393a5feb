// Pieces of microslices, unpacked by a warp each: messages, epochs, hits.
#pragma once
#include "raw.h"
#include "scan.h"

// Pieces of microslices: the messages that a warp processes at once, 16 bytes and then 16 bytes per
// lane, split at multiples of 16 bytes.

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

// Epochs of a piece, and the epoch before it: the only values that depend on earlier messages of a
// microslice.
//
// A piece publishes its own TS_MSBs at once, and the epoch after it as soon as it knows the one
// before. A status is one word: 29 bits of the number of its last epoch, above these 29 bits of
// that of its first one, or the number of cycles that have started since the microslice did. A
// piece in which a cycle starts, which is rare, publishes only the latter.

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
            __nanosleep(POLL_NS);
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

// The hits of a piece, by a warp: looked up where that is right, else step by step.

// Counts of a piece, the same in all lanes.
struct PieceCounts {
    u32 digis = 0, other = 0, elink = 0, first = 0, size = 0, overflow = 0, undefined = 0;

    __device__ __forceinline__ void add_to(Counts& counts) const {
        if (threadIdx.x % LANES > 0) return;
        add(counts.digis, digis);
        add(counts.other, other);
        add(counts.elink, elink);
        add(counts.first, first);
        add(counts.size, size);
        add(counts.overflow, overflow);
        add(counts.undefined, undefined);
    }

  private:
    __device__ __forceinline__ static void add(u32& counter, u32 count) {
        if (count > 0) atomicAdd(&counter, count);
    }
};

// Hits of a piece in which no cycle starts, and whose epochs are all inner ones.
struct LookedUp {
    const Lookup& lookup;
    // Begin of the cycle in ns since that of the timeslice; wraps.
    u32 cycle_ns;

    // Returns true if the hit gives a digi.
    __device__ __forceinline__ bool find(u32 hit, u32 number, u32& counted, u64& digi) const {
        const u32 elink = elink_of(hit), adc = adc_of(hit);
        const i32 time = lookup.times[elink * TIMES_OF_ELINK + adc];
        const u32 channel = lookup.channels[elink_and_channel_of(hit)], of_elink = lookup.uppers[elink];
        const u32 ns = cycle_ns + number * (u32)EPOCH_NS + rounded_eighths(ticks_of(hit)) / 8 + (u32)time;
        const u32 with_channel = of_elink + (channel << CHANNEL_SHIFT_IN_UPPER);
        const u32 far = (of_elink & 0xffff0000) | FAR_CHANNEL << CHANNEL_SHIFT_IN_UPPER;
        const u32 upper = ((channel == FAR ? far : with_channel) & ~ADDRESS_HIGH) | adc;
        digi = (u64)upper << 32 | ns | (of_elink & ADDRESS_HIGH) << 31;
        counted += is_hit(hit) && time == UNKNOWN_TIME ? 1u << 16 : 0;
        return is_hit(hit) && time > UNKNOWN_TIME && channel != MASKED;
    }
};

// A message for each lane at a time. `digis` takes one of each lane that has a digi.
template <class Digis>
PORTABLE_INLINE PieceCounts step_by_step(const Messages& messages, u64 first_of_cycle, Epoch epoch, const Board& board,
                                   u32 rules, Digis& digis) {
    const u32 lane = threadIdx.x % LANES;
    const lanemask_t lanes_below = lanemask_lt(lane), lanes_up_to_here = lanes_below | (lanemask_t)1 << lane;
    PieceCounts found;
    u32 known = 0;
#pragma unroll 1
    for (u32 first = 0; first < messages.size; first += LANES * MESSAGE_BYTES) {
        const u32 message = messages.at(first + lane * MESSAGE_BYTES);
        const bool starts_epoch = is_ts_msb(message);
        const lanemask_t beginning = __ballot_sync(FULL_MASK, starts_epoch);
        const lanemask_t below = beginning & lanes_below;
        const u32 of_below = __shfl_sync(FULL_MASK, number_of(message), highest_lane(below));
        const u32 number_before = below != 0 ? of_below : epoch.number;
        const lanemask_t wrapping = __ballot_sync(FULL_MASK, starts_epoch && number_of(message) < number_before);
        u64 digi = 0;
        u32 fate = UNWANTED;
        if (is_hit(message)) {
            const Epoch epoch_here = {number_before, epoch.wraps + (u32)popc(wrapping & lanes_up_to_here)};
            fate = fate_of(message, epoch_here.since_start(first_of_cycle), board, rules, digi);
        }
        const lanemask_t with_digi = __ballot_sync(FULL_MASK, fate == DIGI);
        digis.take(with_digi, found.digis, message, digi);
        found.digis += (u32)popc(with_digi);
        known += (u32)popc(__ballot_sync(FULL_MASK, is_hit(message))) + (u32)popc(beginning);
        found.elink += (u32)popc(__ballot_sync(FULL_MASK, fate == UNKNOWN_ELINK));
        found.overflow += (u32)popc(__ballot_sync(FULL_MASK, overflows(fate, rules)));
        found.undefined += (u32)popc(__ballot_sync(FULL_MASK, fate == UNDEFINED));
        epoch.wraps += (u32)popc(wrapping);
        if (beginning != 0) epoch.number = __shfl_sync(FULL_MASK, number_of(message), highest_lane(beginning));
    }
    found.other = messages.count() - known;
    return found;
}

// True if hits of an epoch can be looked up.
PORTABLE_INLINE bool is_inner(u64 epoch, const Board& board) {
    return epoch >= board.inner_begin && epoch < board.inner_end;
}

// Unpacking of a piece of a microslice, from its bytes to a consumer of digis.

// Pieces of microslices to unpack.
struct RawPieces {
    const u8* bytes;
    const Job* jobs;
    const Board* boards;
    // One for each warp of each tile.
    const Piece* pieces;
    const u32* tile_boards;
    // Status words, which are 0 at the start: one for tickets, then those of the kernel, with one for
    // each piece at the end.
    u64* states;
    // Counts of each microslice, which are 0 at the start.
    Counts* counts;
    u32 rules, tiles;
};

// Copies what is looked up into shared memory, by a block. Includes a barrier.
template <u32 THREADS> PORTABLE_INLINE void keep(Lookup& cache, const Lookup& lookup) {
    const uint4* from = reinterpret_cast<const uint4*>(&lookup);
    uint4* to = reinterpret_cast<uint4*>(&cache);
    for (u32 i = threadIdx.x; i < sizeof(Lookup) / sizeof(uint4); i += THREADS) to[i] = from[i];
    __syncthreads();
}

// Processes a piece with a whole warp. `digis` provides the epoch before it, and takes the hits, by
// either algorithm, and the counts: for a microslice that is refused, those of its first piece
// report that.
template <class Digis>
PORTABLE_INLINE void unpack_piece(const RawPieces& input, u64* states, u32 index, const Lookup& lookup, Digis& digis) {
    const Piece piece = input.pieces[index];
    if (piece.job == NO_JOB) return;
    const Job job = input.jobs[piece.job];
    PieceCounts found;
    if (has_wrong_size(job)) {
        found.size = piece.number == 0;
        return digis.count(piece.job, found);
    }
    const Messages messages(input.bytes, job, piece.number);
    u32 words[ROWS][MESSAGES_AT_ONCE];
    messages.load(words);
    const u8* content = input.bytes + job.begin;
    if (has_wrong_first_messages(content)) {
        found.first = piece.number == 0;
        return digis.count(piece.job, found);
    }
    const Epochs epochs(words);
    const Epoch before = digis.epoch_before(states, index, piece.number, content, epochs);
    const Epoch behind = epochs.behind(before);
    const u64 cycle = first_of_cycle(job);
    const Board& board = input.boards[job.board];
    const u64 begin = before.since_start(cycle);
    const bool has_one_cycle = before.wraps == behind.wraps;
    if (has_one_cycle && is_inner(begin, board) && is_inner(behind.since_start(cycle), board)) {
        const LookedUp hits = {lookup, (u32)(begin - before.number) * (u32)EPOCH_NS};
        found = digis.look_up(hits, words, messages.count(), epochs, before);
    } else {
        found = step_by_step(messages, cycle, before, board, input.rules, digis);
    }
    digis.count(piece.job, found);
}
