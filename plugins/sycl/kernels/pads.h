// Charge maps, the activity of a pad, and how it is found: charge by charge, or in bits of words.
// As map.h and pads.h of the native kernels.
#pragma once
#include "device.h"

// Pads and time bins of a tile, which is a cache line: time bin by time bin.
constexpr u32 TILE_PADS = 8;
constexpr u32 TILE_TIMES = 4;
constexpr u32 TILE = TILE_PADS * TILE_TIMES;
// Tiles of a row of tiles, over all rows of pads of a sector.
constexpr u32 TILES_IN_ROW = 2889;
constexpr u32 PADS_IN_SECTOR = 14560;

// Pads whose charges are in the same tiles, as the host writes them.
struct alignas(8) GroupWords {
    u32 tile_and_pads, first_pad;
};

struct Group {
    u32 tile;       // index among the tiles of a row of tiles
    u32 pads;       // 8, fewer at the end of a row
    u32 first_pad;  // its index in the sector
};

DEVICE Group group_at(const GroupWords* groups, u32 number) {
    const GroupWords words = groups[number];
    return {words.tile_and_pads & 0xffff, words.tile_and_pads >> 16, words.first_pad};
}

// The index of a group's first tile in the map of a sector, among the tiles of all maps.
DEVICE u64 first_tile(u32 sector, u32 tile_rows, Group group) {
    return u64(sector) * tile_rows * TILES_IN_ROW + group.tile;
}

struct Thresholds {
    u32 charges, run, saturation;
};

struct alignas(8) PadActivity {
    u16 charges, longest_run, largest, verdict;
};

DEVICE PadActivity activity_of(u32 charges, u32 longest_run, u32 largest, Thresholds thresholds) {
    const bool busy = charges > thresholds.charges || longest_run > thresholds.run;
    const bool noisy = busy && largest <= thresholds.saturation;
    return {u16(charges), u16(longest_run), u16(largest), u16(noisy)};
}

// Activity of a pad, time bin by time bin.
struct Counts {
    u32 charges = 0, run = 0, longest_run = 0, largest = 0;

    DEVICE void add(u32 charge) {
        const bool present = charge > 0;
        charges += present;
        run = present ? run + 1 : 0;
        longest_run = max_of(longest_run, run);
        largest = max_of(largest, charge);
    }
};

// Time bins of a word; bit 0 is the earliest.
constexpr u32 WORD_BINS = 32;

// The longest run of ones: each round clears the last one of each run.
DEVICE u32 longest_run_in(u32 word) {
    u32 rounds = 0;
    for (; word != 0; rounds++) word &= word << 1;
    return rounds;
}

// Activity of a pad so far, by bits of words.
struct Presence {
    u32 charges = 0;
    u32 head = 0;     // the run at the start
    u32 tail = 0;     // the run at the end
    u32 longest = 0;  // the longest of all

    // Adds 32 time bins, after `bins_before` ones.
    DEVICE void add(u32 word, u32 bins_before) {
        const u32 in_word = u32(sycl::popcount(word));
        const u32 leading = u32(sycl::ctz(u32(~word)));
        const u32 trailing = u32(sycl::clz(u32(~word)));
        if (head == bins_before) head += leading;
        longest = max_of(longest, tail + leading);
        // No run is longer than the number of ones of the word, which is usually small.
        if (in_word > longest) longest = max_of(longest, longest_run_in(word));
        tail = trailing == WORD_BINS ? tail + WORD_BINS : trailing;
        charges += in_word;
    }
};
