// The digis of a piece, by a warp: looked up where that is right, else step by step.
#pragma once
#include "../raw/hit.h"
#include "epochs.h"

// What was found of a piece; all lanes know it.
struct Found {
    u32 digis = 0, other = 0, elink = 0, overflow = 0, undefined = 0;

    __device__ __forceinline__ void add_to(Counts& counts) const {
        if (threadIdx.x % LANES > 0) return;
        add(counts.digis, digis);
        add(counts.other, other);
        add(counts.elink, elink);
        add(counts.overflow, overflow);
        add(counts.undefined, undefined);
    }

  private:
    __device__ __forceinline__ static void add(u32& counter, u32 count) {
        if (count > 0) atomicAdd(&counter, count);
    }
};

// Hits of a piece in which no cycle begins, and whose epochs are all inner ones.
struct LookedUp {
    const Lookup& lookup;
    // When the cycle begins, in ns since the timeslice did; it wraps.
    u32 cycle_ns;

    // Whether there is a digi.
    __device__ __forceinline__ bool find(u32 hit, u32 number, u32& counted, u64& digi) const {
        const u32 elink = elink_of(hit), adc = adc_of(hit);
        const i32 time = lookup.times[elink * ADC_VALUES + adc];
        const u32 channel = lookup.channels[elink_and_channel_of(hit)], address = lookup.addresses[elink];
        const u32 ns = cycle_ns + number * (u32)EPOCH_NS + rounded_eighths(ticks_of(hit)) / 8 + (u32)time;
        const u32 upper = (address & 0xffff0000) | (channel & ~(MASKED | ADDRESS_HIGH)) | adc;
        digi = (u64)upper << 32 | ns | (address & ADDRESS_HIGH) << 31;
        counted += is_hit(hit) && time == UNKNOWN_TIME ? 1u << 16 : 0;
        return is_hit(hit) && time > UNKNOWN_TIME && (channel & MASKED) == 0;
    }
};

// All messages at once; digis go to `digis`.
PORTABLE_INLINE Found unpack_looked_up(const LookedUp& hits, const u32 (&messages)[ROWS][MESSAGES_AT_ONCE],
                                       u32 count, const Epochs& epochs, Epoch before, u64* digis) {
    const lanemask_t lanes_below = lanemask_lt(threadIdx.x % LANES);
    Found found;
    // In the lower half hits and TS_MSBs, in the upper one hits of unknown e-links.
    u32 counted = 0;
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        // Numbers only grow.
        u32 number = max(epochs.known[row], before.number);
        u64 own[MESSAGES_AT_ONCE];
        bool is_digi[MESSAGES_AT_ONCE];
        u32 place = found.digis;
#pragma unroll
        for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
            const u32 message = messages[row][i];
            if (is_ts_msb(message)) number = number_of(message);
            counted += is_hit(message) || is_ts_msb(message);
            is_digi[i] = hits.find(message, number, counted, own[i]);
            const lanemask_t all = __ballot_sync(FULL_MASK, is_digi[i]);
            place += (u32)popc(all & lanes_below);
            found.digis += (u32)popc(all);
        }
#pragma unroll
        for (u32 i = 0; i < MESSAGES_AT_ONCE; i++) {
            if (is_digi[i]) digis[place++] = own[i];
        }
    }
    counted = __reduce_add_sync(FULL_MASK, counted);
    found.other = count - (counted & 0xffff);
    found.elink = counted >> 16;
    return found;
}

// A message for each lane at a time.
PORTABLE_INLINE Found unpack_step_by_step(const Messages& messages, u64 first_of_cycle, Epoch epoch,
                                          const Board& board, u32 rules, u64* digis) {
    const u32 lane = threadIdx.x % LANES;
    const lanemask_t lanes_below = lanemask_lt(lane), lanes_up_to_here = lanes_below | (lanemask_t)1 << lane;
    Found found;
    u32 known = 0;
#pragma unroll 1
    for (u32 first = 0; first < messages.size; first += LANES * MESSAGE_BYTES) {
        const u32 message = messages.at(first + lane * MESSAGE_BYTES);
        const bool begins = is_ts_msb(message);
        const lanemask_t beginning = __ballot_sync(FULL_MASK, begins);
        const lanemask_t below = beginning & lanes_below;
        const u32 of_below = __shfl_sync(FULL_MASK, number_of(message), highest_lane(below));
        const u32 number_before = below != 0 ? of_below : epoch.number;
        const lanemask_t wrapping = __ballot_sync(FULL_MASK, begins && number_of(message) < number_before);
        u64 digi = 0;
        u32 fate = UNWANTED;
        if (is_hit(message)) {
            const Epoch own = {number_before, epoch.wraps + (u32)popc(wrapping & lanes_up_to_here)};
            fate = fate_of(message, own.since_start(first_of_cycle), board, rules, digi);
        }
        const lanemask_t with_digi = __ballot_sync(FULL_MASK, fate == DIGI);
        if (fate == DIGI) digis[found.digis + (u32)popc(with_digi & lanes_below)] = digi;
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

// Whether hits of an epoch can be looked up.
PORTABLE_INLINE bool is_inner(u64 epoch, const Board& board) {
    return epoch >= board.inner_begin && epoch < board.inner_end;
}
