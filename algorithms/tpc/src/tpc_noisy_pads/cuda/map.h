// Charge maps in the format of kernels (see charge_map.rs), and the activity of a pad (see
// activity.rs).
#pragma once
#include "portable.h"

// Pads and time bins of a tile, which is a cache line: time bin by time bin.
constexpr u32 TILE_PADS = 8;
constexpr u32 TILE_TIMES = 4;
constexpr u32 TILE = TILE_PADS * TILE_TIMES;
// Tiles of a row of tiles, over all rows of pads of a sector.
constexpr u32 TILES_IN_ROW = 2889;
constexpr u32 PADS_IN_SECTOR = 14560;

// Pads whose charges are in the same tiles.
struct Group {
    u32 tile;       // index among the tiles of a row of tiles
    u32 pads;       // 8, fewer at the end of a row
    u32 first_pad;  // its index in the sector
};

PORTABLE_INLINE Group group_at(const uint2* groups, u32 number) {
    const uint2 words = groups[number];
    return {words.x & 0xffff, words.x >> 16, words.y};
}

// The index of a group's first tile in the map of a sector, among the tiles of all maps.
PORTABLE_INLINE u64 first_tile(u32 sector, u32 tile_rows, Group group) {
    return (u64)sector * tile_rows * TILES_IN_ROW + group.tile;
}

struct Thresholds {
    u32 charges, run, saturation;
};

struct __align__(8) PadActivity {
    u16 charges, longest_run, largest, verdict;
};

PORTABLE_INLINE PadActivity activity_of(u32 charges, u32 longest_run, u32 largest, Thresholds thresholds) {
    const bool busy = charges > thresholds.charges || longest_run > thresholds.run;
    const bool noisy = busy && largest <= thresholds.saturation;
    return {(u16)charges, (u16)longest_run, (u16)largest, (u16)noisy};
}
