//! Vectorized unpacking of messages, for any set of instructions.
//!
//! The time of hits depends on the last epoch, so the epoch numbers among the messages are
//! processed one by one: there are few. Everything else is done for a vector of messages:
//! classification of hits, table lookups, and compaction of the resulting digis.

use generators_sts::Digi;
use generators_sts::raw::MicrosliceCounts;

use crate::sts_unpack::cpu::microslice;
use crate::sts_unpack::cpu::microslice::{Cursor, Microslice, Word};
use crate::sts_unpack::tables::Board;

/// A set of instructions. An implementing type is a witness that the CPU has them; methods are
/// inlined into functions that are compiled for them.
pub(super) trait Isa: Copy {
    /// Messages at once.
    const LANES: usize;
    /// A number of 32 bits of each of them.
    type Vector: Copy;

    /// Loads a vector of messages.
    fn load(self, words: &[Word]) -> Self::Vector;

    /// Masks of the messages that are hits, and of those that are epoch numbers.
    fn kinds(self, words: Self::Vector) -> Kinds;

    /// A vector with `value` in all lanes.
    fn all(self, value: u32) -> Self::Vector;

    /// The vector with `value` in this lane and all higher ones.
    fn from(self, vector: Self::Vector, lane: u32, value: u32) -> Self::Vector;

    /// Writes the digis of hits, given the starts of their epochs, to the beginning of a list.
    fn put(self, hits: Hits<'_, Self::Vector>, digis: &mut [Digi]) -> HitCounts;
}

/// A bit for each of some messages.
pub(super) struct Kinds {
    pub(super) hits: u32,
    pub(super) ts_msbs: u32,
}

/// Hits, all of which can be looked up.
pub(super) struct Hits<'b, V> {
    pub(super) words: V,
    /// A bit for each word that is one.
    pub(super) are_hits: u32,
    pub(super) epoch_starts: V,
    pub(super) board: Board<'b>,
}

/// Outcome of the hits of a vector.
pub(super) struct HitCounts {
    pub(super) digis: u32,
    pub(super) unknown_elinks: u32,
}

/// All of a microslice.
#[inline(always)]
pub(super) fn unpack<I: Isa>(
    isa: I,
    microslice: Microslice<'_>,
    digis: &mut [Digi],
) -> MicrosliceCounts {
    let mut cursor = match microslice.begin() {
        Ok(cursor) => cursor,
        Err(counts) => return counts,
    };
    while let Some((block, rest)) = cursor.words.split_at_checked(I::LANES) {
        match put_block(isa, &mut cursor, block, digis) {
            Some(()) => cursor.words = rest,
            None => one_by_one(&mut cursor, I::LANES, digis),
        }
    }
    one_by_one(&mut cursor, I::LANES, digis);
    cursor.counts
}

/// A block of messages; nothing if some hit can't be looked up.
#[inline(always)]
fn put_block<I: Isa>(
    isa: I,
    cursor: &mut Cursor<'_>,
    block: &[Word],
    digis: &mut [Digi],
) -> Option<()> {
    let board = cursor.microslice.board;
    let words = isa.load(block);
    let Kinds { hits, ts_msbs } = isa.kinds(words);
    let mut clock = cursor.clock;
    let mut epoch = clock.epoch(board.window);
    let mut epoch_starts = isa.all(epoch.begin);
    // A bit for each message in an epoch whose hits cannot be looked up.
    let mut outer = if epoch.is_inner { 0 } else { u32::MAX };
    let mut left = ts_msbs;
    while left != 0 {
        let lane = left.trailing_zeros();
        clock.advance(microslice::message(&block[lane as usize]).value());
        epoch = clock.epoch(board.window);
        epoch_starts = isa.from(epoch_starts, lane, epoch.begin);
        let behind = u32::MAX << lane;
        outer = if epoch.is_inner { outer & !behind } else { outer | behind };
        left &= left - 1;
    }
    if outer & hits != 0 {
        return None;
    }
    let counts = &mut cursor.counts;
    let hits_of_block = Hits { words, are_hits: hits, epoch_starts, board };
    let found = isa.put(hits_of_block, &mut digis[counts.digis as usize..]);
    counts.digis += found.digis;
    counts.elink += found.unknown_elinks;
    counts.other += I::LANES as u32 - (hits | ts_msbs).count_ones();
    cursor.clock = clock;
    Some(())
}

/// Processes up to `messages` messages one by one.
fn one_by_one(cursor: &mut Cursor<'_>, messages: usize, digis: &mut [Digi]) {
    let mut slots = digis[cursor.counts.digis as usize..].iter_mut();
    cursor.go(messages, microslice::looked_up, |digi: Digi| {
        if let Some(index) = slots.next() {
            *index = digi;
        }
    });
}

/// Bits of a message, as vector code extracts them.
pub(super) mod bits {
    use generators_sts::raw::{ASIC_CHANNELS, ELINKS, Message};

    use crate::sts_unpack::exact::ADC_VALUES;

    pub(in super::super) const ADC: u32 = 10;
    pub(in super::super) const ADC_MASK: i32 = 0x1f;
    /// E-link and channel are adjacent bits, which are the index in the table of both.
    pub(in super::super) const ELINK_AND_CHANNEL: u32 = 15;
    pub(in super::super) const ELINK_AND_CHANNEL_MASK: i32 = 0x1fff;
    /// The e-link, where it is 32 times its number.
    pub(in super::super) const ELINKS_OF_32: u32 = 17;
    pub(in super::super) const ELINKS_OF_32_MASK: i32 = 0x7e0;
    pub(in super::super) const TICKS: u32 = 1;
    pub(in super::super) const TICKS_MASK: i32 = 0x1ff;
    /// The highest bit of the ticks, where it belongs.
    pub(in super::super) const LAST_TICK: u32 = 21;
    pub(in super::super) const LAST_TICK_MASK: i32 = 0x200;
    /// Shift that removes the value of an epoch-number message.
    pub(in super::super) const TYPE: u32 = 29;
    pub(in super::super) const TS_MSB: i32 = 0b100;
    /// A tick in eighths of ns, and the addend before truncation.
    pub(in super::super) const EIGHTHS_OF_TICK: i32 = 25;
    pub(in super::super) const HALF: i32 = 4;

    const _: () = {
        let hit = Message::hit(63, 127, 31, 1023);
        let bits = hit.bits() as i32;
        assert!(bits >> ADC & ADC_MASK == 31);
        assert!(bits >> ELINK_AND_CHANNEL & ELINK_AND_CHANNEL_MASK == 64 * 128 - 1);
        assert!(bits >> ELINKS_OF_32 & ELINKS_OF_32_MASK == 63 * 32);
        assert!(bits >> TICKS & TICKS_MASK | bits >> LAST_TICK & LAST_TICK_MASK == 1023);
        assert!(Message::ts_msb(u32::MAX).bits() >> TYPE == TS_MSB as u32);
        // Therefore indices of tables are never out of bounds, whatever the message.
        assert!((ELINKS_OF_32_MASK | ADC_MASK) as usize + 1 == ELINKS * ADC_VALUES);
        assert!(ELINK_AND_CHANNEL_MASK as usize + 1 == ELINKS * ASIC_CHANNELS as usize);
    };
}
