// A block per microslice, as published: see epoch_parallel.cu.
//
// The published kernel compares the number of an epoch with the one before while other warps may
// still have to write that: a race, with wrong cycles if it is lost. Here a barrier prevents it.
//
// Static shared memory: the numbers of a tile's epochs, 2 KiB, and sums of warps.

#include "raw.h"
#include "scan.h"

namespace {

// A block unpacks a microslice into slots, as published: tiles of one message per thread, with
// three scans for the values that depend on earlier messages: the number of the epoch, the number
// of times that it decreased, and the slot of a digi.
//
// The memory that threads of a block share is declared by the kernel.

constexpr u32 THREADS = 512;

struct Shared {
    // Numbers of all epochs that start in the tile, after that in which the tile starts.
    u32 numbers[THREADS + 1];
    u32 warp_sums[LANES];
    Counts counts;
};

// Inclusive scan over the threads of a block. Barriers before and after.
PORTABLE_INLINE u32 sum_up_to_here(bool flag, Shared& shared, u32& total) {
    __syncthreads();
    const u32 before = block_exclusive_sum<THREADS>(flag, shared.warp_sums, total);
    return before + flag;
}

// Adds up a count that is zero in most warps.
PORTABLE_INLINE void count(u32& counter, bool flag) {
    const lanemask_t all = __ballot_sync(FULL_MASK, flag);
    if (all != 0 && threadIdx.x % LANES == 0) atomicAdd(&counter, (u32)popc(all));
}

// Processes the messages after the first two; digis go to `slots`.
PORTABLE_INLINE void unpack(const u8* content, const Job& job, const Board& board, u32 rules, u64* slots,
                            Shared& shared) {
    const u64 base = first_of_cycle(job);
    const u32 messages = messages_of(job);
    u32 wraps = 0, digis = 0;
    if (threadIdx.x == 0) shared.numbers[0] = number_of(message_at(content + MESSAGE_BYTES));
    for (u32 tile = FIRST_MESSAGES; tile < messages; tile += THREADS) {
        const u32 at = tile + threadIdx.x;
        const u32 message = at < messages ? message_at(content + (u64)at * MESSAGE_BYTES) : DUMMY;
        const bool starts_epoch = is_ts_msb(message), hits = is_hit(message);
        u32 begun, wrapped, found;
        const u32 epoch = sum_up_to_here(starts_epoch, shared, begun);
        if (starts_epoch) shared.numbers[epoch] = number_of(message);
        __syncthreads();
        const u32 number = shared.numbers[epoch];
        const bool wraps_here = starts_epoch && number < shared.numbers[epoch - 1];
        const u32 wraps_up_to_here = wraps + sum_up_to_here(wraps_here, shared, wrapped);
        u64 digi = 0;
        u32 fate = UNWANTED;
        if (hits) {
            const Epoch epoch_here = {number, wraps_up_to_here};
            fate = fate_of(message, epoch_here.since_start(base), board, rules, digi);
        }
        const u32 slot = sum_up_to_here(fate == DIGI, shared, found);
        if (fate == DIGI) slots[digis + slot - 1] = digi;
        count(shared.counts.other, at < messages && !starts_epoch && !hits);
        count(shared.counts.elink, fate == UNKNOWN_ELINK);
        count(shared.counts.overflow, overflows(fate, rules));
        count(shared.counts.undefined, fate == UNDEFINED);
        // All threads have read their numbers before the last scan.
        if (threadIdx.x == 0) shared.numbers[0] = shared.numbers[begun];
        wraps += wrapped;
        digis += found;
    }
    if (threadIdx.x == 0) shared.counts.digis = digis;
}

// Unpacks the microslice of this block, if there is one. Its digis go to the slots from
// `first_slots` on, one for each message.
PORTABLE_INLINE void unpack_microslice(const u8* bytes, const Job* jobs, u32 job_count, const Board* boards,
                                       u32 rules, const u32* first_slots, Counts* counts, u64* slots,
                                       Shared& shared) {
    const u32 number = blockIdx.x;
    if (number >= job_count) return;
    const Job job = jobs[number];
    const u8* content = bytes + job.begin;
    const bool has_board = job.board != NO_BOARD;
    const bool wrong_size = has_board && has_wrong_size(job);
    const bool wrong_first = has_board && !wrong_size && has_wrong_first_messages(content);
    if (threadIdx.x == 0) {
        shared.counts = {};
        shared.counts.size = wrong_size;
        shared.counts.first = wrong_first;
    }
    __syncthreads();
    if (has_board && !wrong_size && !wrong_first) {
        unpack(content, job, boards[job.board], rules, slots + first_slots[number], shared);
    }
    __syncthreads();
    if (threadIdx.x == 0) counts[number] = shared.counts;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
    unpack_by_blocks(const u8* bytes, const Job* jobs, u32 job_count, const Board* boards, u32 rules,
                     const u32* first_slots, Counts* counts, u64* slots) {
    __shared__ Shared shared;
    unpack_microslice(bytes, jobs, job_count, boards, rules, first_slots, counts, slots, shared);
}
KERNEL_EXPORT(unpack_by_blocks, UnpackToSlots)
