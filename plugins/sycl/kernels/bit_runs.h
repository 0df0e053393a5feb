// Each charge is read once, 16 bytes at a time, and becomes a bit: a word has 32 time bins of a pad.
// Four lanes have the four time bins of a tile; they exchange their bits, and each continues with two
// of the pads. The sub-groups of a work-group have the same pads, each in a slice of the time. As
// bit_runs.cu of noisy-pads.
#pragma once
#include "pads.h"

namespace bit_runs {

constexpr u32 THREADS = 256;
constexpr u32 WARPS = THREADS / LANES;
// Groups of pads of a work-group: four lanes each.
constexpr u32 GROUPS = LANES / TILE_TIMES;
constexpr u32 PADS = GROUPS * TILE_PADS;
// Consecutive tiles in time that a lane loads at once.
constexpr u32 STEP = WORD_BINS / TILE_TIMES;
// Lines of tiles in a row of them.
constexpr u32 LINES_IN_ROW = TILES_IN_ROW * TILE_TIMES;

// Activity of a pad in a slice of the time.
struct Slice {
    u16 charges, head, longest, tail, largest, unused;
};

struct Shared {
    Slice slices[WARPS][PADS];
};

// The larger of either half: SYCL has no function for both at once.
DEVICE u32 max_of_halves(u32 a, u32 b) {
    return max_of(a >> 16, b >> 16) << 16 | max_of(a & 0xffff, b & 0xffff);
}

// The largest charges of eight pads, two in a word.
struct Largest {
    u32 pairs[4] = {};

    DEVICE void add(sycl::uint4 line) {
#pragma unroll
        for (u32 pair = 0; pair < 4; pair++) pairs[pair] = max_of_halves(pairs[pair], line[pair]);
    }

    // Bits of a lane's pads, in all four time bins of tiles.
    DEVICE u32 of_own(Item item, u32 own) const {
        u32 largest = 0;
#pragma unroll
        for (u32 pair = 0; pair < 4; pair++) {
            u32 both = max_of_halves(pairs[pair], from_lane_xor(item, pairs[pair], 1));
            both = max_of_halves(both, from_lane_xor(item, both, 2));
            if (pair == own) largest = both;
        }
        return largest;
    }
};

// A bit for each charge of a line, in the upper four bits of either half: pads 0, 2, 4 and 6 in the
// lower half, from the highest bit on, and pads 1, 3, 5 and 7 in the upper. Charges have 14 bits:
// after adding 0x7fff, bit 15 is set if there is any, and nothing is carried.
DEVICE u32 present_in(sycl::uint4 line) {
    constexpr u32 ALMOST = 0x7fff7fff;
    u32 present = 0;
#pragma unroll
    for (u32 pair = 0; pair < 4; pair++) {
        present |= (line[pair] + ALMOST) >> pair & 0x80008000u >> pair;
    }
    return present;
}

// The bits of 16 time bins of a lane's two pads, one in either half, from the bits that each of four
// lanes has of all pads in its time bins of four tiles.
DEVICE u32 own_bits(Item item, u32 bits, u32 own) {
    const u32 first = lane_of(item) - own;
    u32 both = 0;
#pragma unroll
    for (u32 time = 0; time < TILE_TIMES; time++) {
        both |= (from_lane(item, bits, first + time) >> (3 - own) & 0x11111111) << time;
    }
    return both;
}

// Iterates over the rows of tiles from `begin` to `end`, of which `lines` are those that the lane
// loads, for the lane's two pads.
DEVICE void scan(Item item, const sycl::uint4* lines, u32 begin, u32 end, u32 own, Presence (&pads)[2],
                 Largest& largest) {
    for (u32 row = begin; row < end; row += STEP) {
        sycl::uint4 loaded[STEP];
#pragma unroll
        for (u32 i = 0; i < STEP; i++) {
            const bool there = row + i < end;
            loaded[i] = there ? lines[u64(row + i) * LINES_IN_ROW] : sycl::uint4(0);
        }
        u32 bits[2] = {};
#pragma unroll
        for (u32 i = 0; i < STEP; i++) {
            largest.add(loaded[i]);
            bits[i / 4] |= present_in(loaded[i]) >> (12 - 4 * (i % 4));
        }
        const u32 early = own_bits(item, bits[0], own);
        const u32 late = own_bits(item, bits[1], own);
        const u32 bins_before = (row - begin) * TILE_TIMES;
        pads[0].add((early & 0xffff) | late << 16, bins_before);
        pads[1].add(early >> 16 | (late & 0xffff0000), bins_before);
    }
}

DEVICE Slice slice_of(const Presence& pad, u32 largest) {
    return {u16(pad.charges), u16(pad.head), u16(pad.longest), u16(pad.tail), u16(largest), 0};
}

// Combines the slices of a pad.
DEVICE PadActivity join(const Shared& shared, u32 pad, u32 slice_bins, Thresholds thresholds) {
    u32 charges = 0;
    u32 run = 0;
    u32 longest = 0;
    u32 largest = 0;
    for (u32 warp = 0; warp < WARPS; warp++) {
        const Slice slice = shared.slices[warp][pad];
        const u32 across = run + slice.head;
        run = slice.charges == slice_bins ? across : slice.tail;
        charges += slice.charges;
        longest = max_of(longest, max_of(across, u32(slice.longest)));
        largest = max_of(largest, u32(slice.largest));
    }
    return activity_of(charges, longest, largest, thresholds);
}

// Activity of each pad of each group. A work-group for `GROUPS` groups of a sector.
DEVICE void find(Item item, const u16* maps, const GroupWords* groups, PadActivity* activity, u32 group_count,
                 u32 tile_rows, Thresholds thresholds, Shared& shared) {
    const u32 thread = thread_of(item);
    const u32 groups_of_sector = (group_count + GROUPS - 1) / GROUPS;
    const u32 sector = group_of(item) / groups_of_sector;
    const u32 first_group = group_of(item) % groups_of_sector * GROUPS;
    const u32 slice_rows = (tile_rows + WARPS * STEP - 1) / (WARPS * STEP) * STEP;
    {
        const u32 warp = warp_of(item);
        const u32 lane = lane_of(item);
        // The line of a tile that a lane loads, and its pair of pads after the exchange.
        const u32 own = lane % TILE_TIMES;
        // Lanes without a group repeat the work of the last one.
        const Group group = group_at(groups, min_of(first_group + lane / TILE_TIMES, group_count - 1));
        const auto* all = reinterpret_cast<const sycl::uint4*>(maps);
        const sycl::uint4* lines = all + first_tile(sector, tile_rows, group) * TILE_TIMES + own;
        const u32 begin = warp * slice_rows;
        const u32 end = min_of(begin + slice_rows, tile_rows);
        Presence pads[2];
        Largest largest;
        scan(item, lines, begin, end, own, pads, largest);
        const u32 largest_of_own = largest.of_own(item, own);
        shared.slices[warp][2 * lane] = slice_of(pads[0], largest_of_own & 0xffff);
        shared.slices[warp][2 * lane + 1] = slice_of(pads[1], largest_of_own >> 16);
    }
    group_barrier(item);
    const u32 number = first_group + thread / TILE_PADS;
    const u32 pad = thread % TILE_PADS;
    if (thread >= PADS || number >= group_count) return;
    const Group group = group_at(groups, number);
    if (pad < group.pads) {
        activity[sector * PADS_IN_SECTOR + group.first_pad + pad] =
            join(shared, thread, slice_rows * TILE_TIMES, thresholds);
    }
}

}  // namespace bit_runs
