// A thread walks a microslice, as the first version for GPUs did: nothing is shared, and loads and
// stores of neighbours are as far apart as their microslices.
#include "raw.h"

namespace {

constexpr u32 THREADS = 128;

// Unpacks a microslice: its digis go to `slots`, one after the other.
PORTABLE_INLINE Counts unpack(const u8* content, const Job& job, const Board& board, u32 rules, u64* slots) {
    Counts counts = {};
    if (has_wrong_size(job)) {
        counts.size = 1;
        return counts;
    }
    if (has_wrong_first_messages(content)) {
        counts.first = 1;
        return counts;
    }
    const u64 base = first_of_cycle(job);
    Epoch epoch = {0, 0};
    for (u32 i = 1; i < messages_of(job); i++) {
        const u32 message = message_at(content + (u64)i * MESSAGE_BYTES);
        if (is_hit(message)) {
            u64 digi;
            const u32 fate = fate_of(message, epoch.since_start(base), board, rules, digi);
            if (fate == DIGI) slots[counts.digis++] = digi;
            counts.elink += fate == UNKNOWN_ELINK;
            counts.overflow += overflows(fate, rules);
            counts.undefined += fate == UNDEFINED;
        } else if (is_ts_msb(message)) {
            epoch.advance(number_of(message));
        } else {
            counts.other++;
        }
    }
    return counts;
}

}  // namespace

// The digis of each microslice go to the slots from its `first_slots` on, one for each message.
extern "C" __global__ void __launch_bounds__(THREADS)
    unpack_by_threads(const u8* bytes, const Job* jobs, u32 job_count, const Board* boards, u32 rules,
                      const u32* first_slots, Counts* counts, u64* slots) {
    const u32 number = blockIdx.x * THREADS + threadIdx.x;
    if (number >= job_count) return;
    const Job job = jobs[number];
    counts[number] = job.board == NO_BOARD
                         ? Counts{}
                         : unpack(bytes + job.begin, job, boards[job.board], rules, slots + first_slots[number]);
}
KERNEL_EXPORT(unpack_by_threads, UnpackToSlots)
