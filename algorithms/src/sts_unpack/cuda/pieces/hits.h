// The hits of a piece, by a warp: looked up where that is right, else step by step.
#pragma once
#include "../raw/hit.h"
#include "epochs.h"

// Counts of a piece, the same in all lanes.
struct Found {
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
PORTABLE_INLINE Found step_by_step(const Messages& messages, u64 first_of_cycle, Epoch epoch, const Board& board,
                                   u32 rules, Digis& digis) {
    const u32 lane = threadIdx.x % LANES;
    const lanemask_t lanes_below = lanemask_lt(lane), lanes_up_to_here = lanes_below | (lanemask_t)1 << lane;
    Found found;
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
