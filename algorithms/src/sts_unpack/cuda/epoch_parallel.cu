// A block per microslice, as published: see slots/microslice.h.
//
// The published kernel compares the number of an epoch with the one before while other warps may
// still have to write that: a race, with wrong cycles if it is lost. Here a barrier prevents it.
//
// Static shared memory: the numbers of a tile's epochs, 2 KiB, and sums of warps.
#include "slots/microslice.h"

extern "C" __global__ void __launch_bounds__(THREADS)
    unpack_by_blocks(const u8* bytes, const Job* jobs, u32 job_count, const Board* boards, u32 rules,
                     const u32* first_slots, Counts* counts, u64* slots) {
    __shared__ Shared shared;
    unpack_microslice(bytes, jobs, job_count, boards, rules, first_slots, counts, slots, shared);
}
KERNEL_EXPORT(unpack_by_blocks, UnpackToSlots)
