//! Each charge is read once, and becomes a bit: `bit_runs.cu`.
//!
//! Shared memory: the activity of each pad in each slice, 6 KiB.

use cubecl_core as cubecl;
use cubecl_core::prelude::*;

use super::map::{
    Activity, GroupWords, PADS_IN_SECTOR, Presence, TILE_PADS, TILE_TIMES, TILES_IN_ROW,
    Thresholds, WORD_BINS, activity_of, first_tile, group_at,
};
use crate::LANES;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Groups of pads that a block has: four lanes each.
pub const GROUPS: u32 = LANES / TILE_TIMES;
const WARPS: u32 = THREADS / LANES;
const PADS: u32 = GROUPS * TILE_PADS;
/// Number of tiles, one above the other, that a lane loads at once.
const STEP: u32 = WORD_BINS / TILE_TIMES;
/// Lines of tiles in a row of them.
const LINES_IN_ROW: u32 = TILES_IN_ROW * TILE_TIMES;

/// Eight pads in one time bin, two in a word.
pub type Line = Vector<u32, Const<4>>;

/// Activity of pads in slices of the time: an array for each figure.
#[derive(CubeType)]
struct Slices {
    charges: SharedMemory<u16>,
    head: SharedMemory<u16>,
    longest: SharedMemory<u16>,
    tail: SharedMemory<u16>,
    largest: SharedMemory<u16>,
}

/// The largest charges of eight pads, two in a word.
#[derive(CubeType)]
struct Largest {
    first: u32,
    second: u32,
    third: u32,
    fourth: u32,
}

/// The larger of either half.
#[cube]
fn max_of_halves(a: u32, b: u32) -> u32 {
    u32::max(a >> 16, b >> 16) << 16 | u32::max(a & 0xffff, b & 0xffff)
}

#[cube]
impl Largest {
    fn new() -> Largest {
        Largest { first: 0u32, second: 0u32, third: 0u32, fourth: 0u32 }
    }

    fn add(&mut self, line: Line) {
        self.first = max_of_halves(self.first, line[0]);
        self.second = max_of_halves(self.second, line[1]);
        self.third = max_of_halves(self.third, line[2]);
        self.fourth = max_of_halves(self.fourth, line[3]);
    }

    /// Bits of a lane's own pads, in all four time bins of tiles.
    fn of_own(&self, own: u32) -> u32 {
        let first = of_four_lanes(self.first);
        let second = of_four_lanes(self.second);
        let third = of_four_lanes(self.third);
        let fourth = of_four_lanes(self.fourth);
        let early = select(own == 0, first, second);
        let late = select(own == 2, third, fourth);
        select(own < 2, early, late)
    }
}

/// The largest of the lanes that have the four time bins of a tile.
#[cube]
fn of_four_lanes(pair: u32) -> u32 {
    let both = max_of_halves(pair, plane_shuffle_xor(pair, 1u32));
    max_of_halves(both, plane_shuffle_xor(both, 2u32))
}

/// A bit for each charge of a line, in the upper four bits of either half: pads 0, 2, 4 and 6 in
/// the lower half, from the highest bit on, and pads 1, 3, 5 and 7 in the upper. Charges have 14
/// bits: with 0x7fff, bit 15 is set if there is any, and nothing is carried.
#[cube]
fn present_in(line: Line) -> u32 {
    let first = (line[0] + 0x7fff_7fff) & 0x8000_8000u32;
    let second = ((line[1] + 0x7fff_7fff) >> 1) & 0x4000_4000;
    let third = ((line[2] + 0x7fff_7fff) >> 2) & 0x2000_2000;
    let fourth = ((line[3] + 0x7fff_7fff) >> 3) & 0x1000_1000;
    first | second | third | fourth
}

/// The bits of 16 time bins of a lane's own pads, one in either half, from the bits that each of
/// four lanes has of all pads in its time bins of four tiles.
#[cube]
fn own_bits(bits: u32, lane: u32, own: u32) -> u32 {
    let mut both = 0u32;
    #[unroll]
    for time in 0..TILE_TIMES {
        let theirs = plane_shuffle(bits, lane / TILE_TIMES * TILE_TIMES + time);
        both |= ((theirs >> (3 - own)) & 0x1111_1111) << time;
    }
    both
}

/// Scans the rows of tiles from `begin` to `end`, of which those from `lines` on are loaded by this
/// lane, for the lane's own two pads.
#[cube]
#[allow(clippy::too_many_arguments)]
fn scan(
    maps: &Array<Line>,
    lines: u64,
    begin: u32,
    end: u32,
    lane: u32,
    own: u32,
    first: &mut Presence,
    second: &mut Presence,
    largest: &mut Largest,
) {
    for row in range_stepped(begin, end, STEP) {
        let mut loaded = Array::<Line>::new(STEP as usize);
        #[unroll]
        for i in 0..STEP {
            let mut line = Line::new(0u32);
            if row + i < end {
                let in_map = u64::cast_from(row + i) * u64::cast_from(LINES_IN_ROW);
                line = maps[(lines + in_map) as usize];
            }
            loaded[i as usize] = line;
        }
        let mut early_bits = 0u32;
        let mut late_bits = 0u32;
        #[unroll]
        for i in 0..STEP {
            let line = loaded[i as usize];
            largest.add(line);
            if comptime!(i < 4) {
                early_bits |= present_in(line) >> comptime!(12 - 4 * (i % 4));
            } else {
                late_bits |= present_in(line) >> comptime!(12 - 4 * (i % 4));
            }
        }
        let early = own_bits(early_bits, lane, own);
        let late = own_bits(late_bits, lane, own);
        let bins_before = (row - begin) * TILE_TIMES;
        first.add((early & 0xffff) | late << 16, bins_before);
        second.add(early >> 16 | (late & 0xffff_0000u32), bins_before);
    }
}

#[cube]
impl Slices {
    fn new() -> Slices {
        Slices {
            charges: SharedMemory::new((WARPS * PADS) as usize),
            head: SharedMemory::new((WARPS * PADS) as usize),
            longest: SharedMemory::new((WARPS * PADS) as usize),
            tail: SharedMemory::new((WARPS * PADS) as usize),
            largest: SharedMemory::new((WARPS * PADS) as usize),
        }
    }

    fn set(&mut self, slot: u32, pad: &Presence, largest: u32) {
        self.charges[slot as usize] = u16::cast_from(pad.charges);
        self.head[slot as usize] = u16::cast_from(pad.head);
        self.longest[slot as usize] = u16::cast_from(pad.longest);
        self.tail[slot as usize] = u16::cast_from(pad.tail);
        self.largest[slot as usize] = u16::cast_from(largest);
    }

    /// Puts the slices of a pad together.
    fn join(&self, pad: u32, slice_bins: u32, thresholds: &Thresholds) -> Activity {
        let mut charges = 0u32;
        let mut run = 0u32;
        let mut longest = 0u32;
        let mut largest = 0u32;
        for warp in 0..WARPS {
            let slot = (warp * PADS + pad) as usize;
            let in_slice = u32::cast_from(self.charges[slot]);
            let across = run + u32::cast_from(self.head[slot]);
            run = select(in_slice == slice_bins, across, u32::cast_from(self.tail[slot]));
            charges += in_slice;
            longest = u32::max(longest, u32::max(across, u32::cast_from(self.longest[slot])));
            largest = u32::max(largest, u32::cast_from(self.largest[slot]));
        }
        activity_of(charges, longest, largest, thresholds)
    }
}

/// Activity of each pad of each group. A block handles `GROUPS` groups of a sector.
#[cube]
pub fn noisy_pads_bit_runs(
    maps: &Array<Line>,
    groups: &Array<GroupWords>,
    activity: &mut Array<Activity>,
    group_count: u32,
    tile_rows: u32,
    thresholds: Thresholds,
) {
    let mut slices = Slices::new();
    let thread = UNIT_POS_X;
    let blocks_in_sector = (group_count + GROUPS - 1) / GROUPS;
    let sector = CUBE_POS_X / blocks_in_sector;
    let first_group = CUBE_POS_X % blocks_in_sector * GROUPS;
    let slice_rows = (tile_rows + WARPS * STEP - 1) / (WARPS * STEP) * STEP;
    let warp = thread / LANES;
    let lane = thread % LANES;
    // The line of a tile that a lane loads, and the pair of pads that it has then.
    let own = lane % TILE_TIMES;
    // Lanes without a group do the work of the last one.
    let last = group_count - 1;
    let its_group = group_at(groups, u32::min(first_group + lane / TILE_TIMES, last));
    let lines = first_tile(sector, tile_rows, &its_group) * u64::cast_from(TILE_TIMES)
        + u64::cast_from(own);
    let begin = warp * slice_rows;
    let end = u32::min(begin + slice_rows, tile_rows);
    let mut first = Presence::new();
    let mut second = Presence::new();
    let mut largest = Largest::new();
    scan(maps, lines, begin, end, lane, own, &mut first, &mut second, &mut largest);
    let largest_of_own = largest.of_own(own);
    let slot = warp * PADS + 2 * lane;
    slices.set(slot, &first, largest_of_own & 0xffff);
    slices.set(slot + 1, &second, largest_of_own >> 16);
    sync_cube();
    let number = first_group + thread / TILE_PADS;
    if thread < PADS && number < group_count {
        let group = group_at(groups, number);
        let pad = thread % TILE_PADS;
        if pad < group.pads {
            let index = sector * PADS_IN_SECTOR + group.first_pad + pad;
            activity[index as usize] = slices.join(thread, slice_rows * TILE_TIMES, &thresholds);
        }
    }
}
