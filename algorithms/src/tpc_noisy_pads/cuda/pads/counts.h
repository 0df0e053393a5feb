// Activity of a pad, time bin by time bin.
#pragma once
#include "portable.h"

struct Counts {
    u32 charges = 0, run = 0, longest_run = 0, largest = 0;

    __device__ __forceinline__ void add(u32 charge) {
        const bool present = charge > 0;
        charges += present;
        run = present ? run + 1 : 0;
        longest_run = max(longest_run, run);
        largest = max(largest, charge);
    }
};
