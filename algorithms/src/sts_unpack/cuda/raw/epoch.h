// Tracking of epochs (see epoch.rs); all arithmetic wraps.
#pragma once
#include "microslice.h"

constexpr u64 EPOCHS_PER_CYCLE = 1 << 29;
constexpr u64 EPOCH_NS = 3200;
constexpr u64 CYCLE_NS = EPOCH_NS * EPOCHS_PER_CYCLE;
constexpr u64 EIGHTHS_PER_EPOCH = 8 * EPOCH_NS;

// The first epoch of the cycle in which a microslice starts, counted from that in which its
// timeslice does. Signed division, as in the experiment's code.
PORTABLE_INLINE u64 first_of_cycle(const Job& job) {
    const u64 cycle = (u64)((long long)job.index / (long long)CYCLE_NS);
    return cycle * EPOCHS_PER_CYCLE - job.first_epoch;
}

// The number of the epoch, and how many cycles have started since the microslice did.
struct Epoch {
    u32 number, wraps;

    // The next number: a smaller one is of the next cycle.
    __device__ __forceinline__ void advance(u32 next) {
        wraps += next < number;
        number = next;
    }

    // Epochs since that in which the timeslice starts.
    __device__ __forceinline__ u64 since_start(u64 first_of_cycle) const {
        return first_of_cycle + wraps * EPOCHS_PER_CYCLE + number;
    }
};
