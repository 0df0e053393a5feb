// Charges of a pad: their number, runs of them, and bits of presence.
#pragma once
#include "portable.h"

// Activity of a pad, time bin by time bin.

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

// Time bins with charge as bits of words: their number, and the lengths of their runs.

// Time bins of a word; bit 0 is the earliest.
constexpr u32 WORD_BINS = 32;

// The longest run of ones: each round clears the last one of each run.
PORTABLE_INLINE u32 longest_run_in(u32 word) {
    u32 rounds = 0;
    for (; word != 0; rounds++) word &= word << 1;
    return rounds;
}

// Activity of a pad so far.
struct Presence {
    u32 charges = 0;
    u32 head = 0;     // the run at the start
    u32 tail = 0;     // the run at the end
    u32 longest = 0;  // the longest of all

    // Adds 32 time bins, after `bins_before` ones.
    __device__ __forceinline__ void add(u32 word, u32 bins_before) {
        const u32 in_word = (u32)__popc(word);
        const u32 leading = (u32)__clz((int)__brev(~word)), trailing = (u32)__clz((int)~word);
        if (head == bins_before) head += leading;
        longest = max(longest, tail + leading);
        // No run is longer than the number of ones of the word, which is usually small.
        if (in_word > longest) longest = max(longest, longest_run_in(word));
        tail = trailing == WORD_BINS ? tail + WORD_BINS : trailing;
        charges += in_word;
    }
};
