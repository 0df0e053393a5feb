// The module sides that a board reads out: a slot each, which the e-link determines.
#pragma once
#include "../../../sts_unpack/cuda/pieces/hits.h"
#include "radix_rank.h"

// The slot of each e-link, and the side of each slot.
struct Slots {
    u32 of_elinks[ELINKS];
    u32 sides[ELINKS];
    u32 count;
};

// Iterates over the digis of a warp's piece, each with its offset among those of its slot.
// `of_slots` has a word for each slot, which is incremented for each of its digis. Slot indices
// have `BITS` bits.
template <u32 BITS, class To>
struct BySlot {
    const Slots& slots;
    u32* of_slots;

    __device__ __forceinline__ BySlot(const Slots& slots, u32* of_slots) : slots(slots), of_slots(of_slots) {}

    __device__ __forceinline__ Found look_up(const LookedUp& hits, const u32 (&messages)[ROWS][MESSAGES_AT_ONCE],
                                             u32 messages_in_all, const Epochs& epochs, Epoch before) {
        Found found;
        // In the lower half hits and TS_MSBs, in the upper one hits of unknown e-links.
        u32 counted = 0;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            // Epoch numbers only grow.
            u32 number = max(epochs.known[row], before.number);
#pragma unroll
            for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
                const u32 message = messages[row][i];
                if (is_ts_msb(message)) number = number_of(message);
                counted += is_hit(message) || is_ts_msb(message);
                u64 digi;
                const bool is_digi = hits.find(message, number, counted, digi);
                const lanemask_t all = __ballot_sync(FULL_MASK, is_digi);
                take(all, found.digis, message, digi);
                found.digis += (u32)popc(all);
            }
        }
        counted = __reduce_add_sync(FULL_MASK, counted);
        found.other = messages_in_all - (counted & 0xffff);
        found.elink = counted >> 16;
        return found;
    }

    __device__ __forceinline__ void take(lanemask_t with_digi, u32, u32 hit, u64 digi) {
        const u32 lane = threadIdx.x % LANES;
        const u32 slot = slots.of_elinks[elink_of(hit)];
        const lanemask_t same = lanes_with<BITS>(slot) & with_digi;
        const bool has_digi = with_digi >> lane & 1;
        const u32 rank = (u32)popc(same & lanemask_lt(lane));
        const u32 offset = of_slots[slot] + rank;
        __syncwarp();
        if (has_digi && rank == 0) of_slots[slot] = offset + (u32)popc(same);
        __syncwarp();
        if (has_digi) static_cast<To*>(this)->put(offset, digi);
    }
};
