// Triggers and events of digis in order of time: see sts_events/chain.rs.
#pragma once
#include "digi.h"
#include "scan.h"
#include "words.h"

// Times are in ns; `reach` is the number of digis from the last one of a window back to the first.
struct Rules {
    u32 window, reach, dead_time, before, after;
};

// The time of the trigger in half ns; the range of its digis; where their copies begin.
struct alignas(16) Event {
    u32 trigger, begin, end, first_copy;
};

// Counts of a run.
struct alignas(16) Totals {
    u32 full, events, copies, unused;
};

// Lengths of the arrays of events and of copies. Elements beyond them are counted and not written.
struct Capacities {
    u32 events, copies;
};

// Outputs of kernels: arrays of these capacities, and counts.
struct EventOutput {
    Event* events;
    u64* copies;
    Capacities capacities;
    Totals* totals;
};

// Copies the digis of an event, as far as the array has elements. All threads of the block take part.
template <u32 THREADS>
PORTABLE_INLINE void copy_event(const u64* digis, const Event& event, const EventOutput& output) {
    const u32 first = min(event.first_copy, output.capacities.copies);
    const u32 count = min(event.end - event.begin, output.capacities.copies - first);
    write_each_word<THREADS>(output.copies + first, count, [&](u32 i) { return digis[event.begin + i]; });
}

// Digis in order of time. There are no more than 2^30.
struct Stream {
    const u64* digis;
    u32 count;
    Rules rules;

    __device__ __forceinline__ u32 time(u32 index) const { return digi_time(digis[index]); }

    // True if the window that ends with this digi is full.
    __device__ __forceinline__ bool is_full(u32 index) const {
        return index < count && index >= rules.reach && time(index) - time(index - rules.reach) <= rules.window;
    }

    // The first digi whose time is not `before`, by exponential search from `start` on.
    template <class Before> __device__ __forceinline__ u32 first_time_not(u32 start, Before before) const {
        const auto is_before = [&](u32 index) { return before(time(index)); };
        u32 low, high, leap = 1;
        if (start < count && is_before(start)) {
            for (low = start + 1; low + leap <= count && is_before(low + leap - 1); leap *= 2) low += leap;
            high = min(count, low + leap);
        } else {
            for (high = min(start, count); high > 0 && !is_before(high - min(high, leap)); leap *= 2)
                high -= min(high, leap);
            low = high - min(high, leap);
        }
        return lower_bound(low, high, is_before);
    }

    // The earliest digi that can be the next trigger after one.
    __device__ __forceinline__ u32 earliest_after(u32 trigger) const {
        const u32 dead_until = time(trigger) + rules.dead_time;
        return first_time_not(trigger + 1, [&](u32 time) { return time <= dead_until; }) + rules.reach;
    }

    // True if all digis of a full window are free if the previous trigger was at `last` or before:
    // it is surely a trigger if `last` is the previous full window.
    __device__ __forceinline__ bool is_free(u32 last, u32 full) const {
        return full > last + rules.reach && time(full - rules.reach) > time(last) + rules.dead_time;
    }

    // The event of a trigger, without the offset of its copies.
    __device__ __forceinline__ Event event(u32 trigger) const {
        const u32 half_ns = time(trigger - rules.reach) + time(trigger);
        const u32 before = min(half_ns, 2 * rules.before), after = min(~half_ns, 2 * rules.after);
        const u32 left = half_ns - before;
        const u32 first = left / 2 + left % 2, last = (half_ns + after) / 2;
        const u32 begin = first_time_not(trigger - rules.reach, [&](u32 time) { return time < first; });
        const u32 end = first_time_not(trigger, [&](u32 time) { return time <= last; });
        return {half_ns, begin, end, 0};
    }
};
