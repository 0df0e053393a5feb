// A work-group unpacks a microslice into slots, tiles of one message a work-item, with three scans for
// what depends on earlier messages: the number of the epoch, the number of times that it decreased,
// and the slot of a digi. As epoch_parallel.cu of unpack.
#pragma once
#include "raw.h"
#include "scan.h"

namespace epoch_parallel {

constexpr u32 THREADS = 512;

struct Shared {
    // Numbers of all epochs that start in the tile, after that in which the tile starts.
    u32 numbers[THREADS + 1];
    u32 warp_sums[LANES];
    Counts counts;
};

// Inclusive scan over the work-items. Barriers before and after.
DEVICE u32 sum_up_to_here(Item item, bool flag, Shared& shared, u32& total) {
    group_barrier(item);
    const u32 before = block_exclusive_sum<THREADS>(item, flag, shared.warp_sums, total);
    return before + flag;
}

// Adds up a count that is zero in most sub-groups.
DEVICE void count(Item item, u32& counter, bool flag) {
    const u32 all = vote(item, flag);
    if (all != 0 && lane_of(item) == 0) add_local(counter, u32(sycl::popcount(all)));
}

// Processes the messages after the first two; digis go to `slots`.
DEVICE void unpack(Item item, const u8* content, const Microslice& microslice, const Board& board, u32 rules,
                   u64* slots, Shared& shared) {
    const u32 thread = thread_of(item);
    const u64 base = first_of_cycle(microslice);
    const u32 messages = messages_of(microslice);
    u32 wraps = 0;
    u32 digis = 0;
    if (thread == 0) shared.numbers[0] = number_of(message_at(content + MESSAGE_BYTES));
    for (u32 tile = FIRST_MESSAGES; tile < messages; tile += THREADS) {
        const u32 at = tile + thread;
        const u32 message = at < messages ? message_at(content + u64(at) * MESSAGE_BYTES) : DUMMY;
        const bool starts_epoch = is_ts_msb(message);
        const bool hits = is_hit(message);
        u32 begun, wrapped, found;
        const u32 epoch = sum_up_to_here(item, starts_epoch, shared, begun);
        if (starts_epoch) shared.numbers[epoch] = number_of(message);
        group_barrier(item);
        const u32 number = shared.numbers[epoch];
        const bool wraps_here = starts_epoch && number < shared.numbers[epoch - 1];
        const u32 wraps_up_to_here = wraps + sum_up_to_here(item, wraps_here, shared, wrapped);
        u64 digi = 0;
        u32 fate = UNWANTED;
        if (hits) {
            const Epoch epoch_here = {number, wraps_up_to_here};
            fate = fate_of(message, epoch_here.since_start(base), board, rules, digi);
        }
        const u32 slot = sum_up_to_here(item, fate == DIGI, shared, found);
        if (fate == DIGI) slots[digis + slot - 1] = digi;
        count(item, shared.counts.other, at < messages && !starts_epoch && !hits);
        count(item, shared.counts.elink, fate == UNKNOWN_ELINK);
        count(item, shared.counts.overflow, overflows(fate, rules));
        count(item, shared.counts.undefined, fate == UNDEFINED);
        // All work-items have read their numbers before the last scan.
        if (thread == 0) shared.numbers[0] = shared.numbers[begun];
        wraps += wrapped;
        digis += found;
    }
    if (thread == 0) shared.counts.digis = digis;
}

// Unpacks the microslice of this work-group. Its digis go to the first of its slots.
DEVICE void unpack_microslice(Item item, const u8* data, const Microslice* microslices, const u32* elinks,
                              const Link* links, u32 rules, Counts* counts, u64* slots, Shared& shared) {
    const u32 number = group_of(item);
    const Microslice microslice = microslices[number];
    const u8* content = data + microslice.first_byte;
    const bool has_board = microslice.board != NO_BOARD;
    const bool wrong_size = has_board && has_wrong_size(microslice);
    const bool wrong_first = has_board && !wrong_size && has_wrong_first_messages(content);
    if (thread_of(item) == 0) {
        shared.counts = {};
        shared.counts.size = wrong_size;
        shared.counts.first = wrong_first;
    }
    group_barrier(item);
    if (has_board && !wrong_size && !wrong_first) {
        const Board board = {elinks[microslice.board], links + u64(microslice.board) * ELINKS};
        unpack(item, content, microslice, board, rules, slots + microslice.first_message, shared);
    }
    group_barrier(item);
    if (thread_of(item) == 0) counts[number] = shared.counts;
}

}  // namespace epoch_parallel
