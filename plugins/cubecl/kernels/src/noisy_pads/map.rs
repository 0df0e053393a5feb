//! Charge maps as kernels read them, and the activity of a pad: `pads/map.h`; time bins with charge as
//! bits of words: `pads/presence.h`.

use cubecl_core as cubecl;
use cubecl_core::prelude::*;

/// Pads of a tile, which is a cache line: time bin by time bin.
pub const TILE_PADS: u32 = 8;
/// Time bins of a tile.
pub const TILE_TIMES: u32 = 4;
/// Charges of a tile.
pub const TILE: u32 = TILE_PADS * TILE_TIMES;
/// Tiles side by side, of all rows of a sector.
pub const TILES_IN_ROW: u32 = 2889;
/// Pads of all rows of a sector.
pub const PADS_IN_SECTOR: u32 = 14560;

/// The index of a group's tile with the number of its pads above it, and its first pad.
pub type GroupWords = Vector<u32, Const<2>>;
/// Activity of a pad in one word of 8 bytes: charges, longest run, largest charge, 1 if it is
/// noisy.
pub type Activity = Vector<u16, Const<4>>;

/// Pads whose charges are in the same tiles.
#[derive(CubeType)]
pub struct Group {
    /// Its index among adjacent tiles.
    pub tile: u32,
    /// 8, fewer at the end of a row.
    pub pads: u32,
    /// Its number in the sector.
    pub first_pad: u32,
}

/// Maximum activity of a normal pad.
#[derive(CubeType)]
pub struct Thresholds {
    /// Time bins with charge.
    pub charges: u32,
    /// Maximum length of a run.
    pub run: u32,
    /// The largest charge of a pad that is noisy.
    pub saturation: u32,
}

/// A group of pads by its number.
#[cube]
pub fn group_at(groups: &Array<GroupWords>, number: u32) -> Group {
    let words = groups[number as usize];
    Group { tile: words[0] & 0xffff, pads: words[0] >> 16, first_pad: words[1] }
}

/// The first tile of a group in the map of a sector, counted from that of all maps.
#[cube]
pub fn first_tile(sector: u32, tile_rows: u32, group: &Group) -> u64 {
    u64::cast_from(sector) * u64::cast_from(tile_rows) * u64::cast_from(TILES_IN_ROW)
        + u64::cast_from(group.tile)
}

/// Activity of a pad, with the verdict.
#[cube]
pub fn activity_of(
    charges: u32,
    longest_run: u32,
    largest: u32,
    thresholds: &Thresholds,
) -> Activity {
    let is_busy = charges > thresholds.charges || longest_run > thresholds.run;
    let is_noisy = is_busy && largest <= thresholds.saturation;
    let mut activity = Activity::empty();
    activity[0] = u16::cast_from(charges);
    activity[1] = u16::cast_from(longest_run);
    activity[2] = u16::cast_from(largest);
    activity[3] = u16::cast_from(is_noisy);
    activity
}

/// Time bins of a word; bit 0 is the earliest.
pub const WORD_BINS: u32 = 32;

/// Activity of a pad so far.
#[derive(CubeType)]
pub struct Presence {
    /// Time bins with charge.
    pub charges: u32,
    /// The run at the beginning.
    pub head: u32,
    /// The run at the end.
    pub tail: u32,
    /// The longest of all.
    pub longest: u32,
}

/// The longest run of ones: each round removes the last one of each run.
#[cube]
fn longest_run_in(word: u32) -> u32 {
    let mut rest = word;
    let mut rounds = 0u32;
    while rest != 0 {
        rest &= rest << 1;
        rounds += 1;
    }
    rounds
}

#[cube]
impl Presence {
    /// Activity of a pad without time bins.
    pub fn new() -> Presence {
        Presence { charges: 0u32, head: 0u32, tail: 0u32, longest: 0u32 }
    }

    /// Adds 32 time bins; `bins_before` precede them.
    pub fn add(&mut self, word: u32, bins_before: u32) {
        let in_word = word.count_ones();
        let leading = (!word).reverse_bits().leading_zeros();
        let trailing = (!word).leading_zeros();
        if self.head == bins_before {
            self.head += leading;
        }
        self.longest = u32::max(self.longest, self.tail + leading);
        // No run is longer than all ones of the word, and most words have few.
        if in_word > self.longest {
            self.longest = u32::max(self.longest, longest_run_in(word));
        }
        self.tail = select(trailing == WORD_BINS, self.tail + WORD_BINS, trailing);
        self.charges += in_word;
    }
}
