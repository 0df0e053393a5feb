//! Time bins with charge as bits of words: `pads/presence.h`.

use cubecl_core as cubecl;
use cubecl_core::prelude::*;

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
