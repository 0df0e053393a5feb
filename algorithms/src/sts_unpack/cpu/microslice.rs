//! A microslice, message by message.

use generators::sts::Digi;
use generators::sts::raw::{Kind, MESSAGE_BYTES, Message, MicrosliceCounts, Rules};

use crate::sts_unpack::epoch::{Clock, Epoch};
use crate::sts_unpack::exact::HitOutcome;
use crate::sts_unpack::link::ADC_VALUES;
use crate::sts_unpack::lookup::{ADDRESS_HIGH, MASKED, UNKNOWN_ELINK, UNWANTED};
use crate::sts_unpack::survey::Job;
use crate::sts_unpack::tables::Board;

/// The bytes of a message.
pub(super) type Word = [u8; MESSAGE_BYTES];

/// A microslice that is to be unpacked.
#[derive(Clone, Copy)]
pub(super) struct Microslice<'w> {
    pub(super) content: &'w [u8],
    pub(super) job: &'w Job,
    pub(super) board: Board<'w>,
    pub(super) rules: Rules,
}

/// State in a microslice, after its first two messages.
pub(super) struct Cursor<'w> {
    pub(super) microslice: Microslice<'w>,
    pub(super) words: &'w [Word],
    pub(super) clock: Clock,
    pub(super) counts: MicrosliceCounts,
}

impl<'w> Microslice<'w> {
    /// Checks size and first messages.
    ///
    /// # Errors
    /// The counts of the microslice, if they are invalid.
    #[inline(always)]
    pub(super) fn begin(self) -> Result<Cursor<'w>, MicrosliceCounts> {
        let nothing = MicrosliceCounts::default();
        let (words, rest) = self.content.as_chunks();
        let wrong_size = MicrosliceCounts { size: 1, ..nothing };
        if !rest.is_empty() {
            return Err(wrong_size);
        }
        let [first, second, words @ ..] = words else {
            return Err(wrong_size);
        };
        let first = message(first);
        let second = message(second);
        if (first.kind(), second.kind()) != (Kind::Epoch, Kind::TsMsb) {
            return Err(MicrosliceCounts { first: 1, ..nothing });
        }
        let mut clock = Clock::new(self.job);
        clock.advance(second.value());
        Ok(Cursor { microslice: self, words, clock, counts: nothing })
    }
}

/// Outcome of a hit, computed exactly.
#[inline(always)]
pub(super) fn exact(microslice: &Microslice<'_>, message: Message, epoch: &Epoch) -> HitOutcome {
    HitOutcome::for_hit(message, epoch.eighths, microslice.board.links, microslice.rules)
}

/// Outcome of a hit, by lookup if that is exact.
#[inline(always)]
pub(super) fn looked_up(
    microslice: &Microslice<'_>,
    message: Message,
    epoch: &Epoch,
) -> HitOutcome {
    if !epoch.is_inner {
        return exact(microslice, message, epoch);
    }
    let Board { times, channels, .. } = microslice.board;
    let elink = usize::from(message.elink());
    let bits = message.bits();
    let correction = times[elink * ADC_VALUES + usize::from(message.adc())];
    let upper = channels[(bits >> 15 & 0x1fff) as usize];
    if correction <= UNKNOWN_ELINK || upper & MASKED != 0 {
        let is_unknown = correction == UNKNOWN_ELINK;
        return if is_unknown { HitOutcome::UnknownElink } else { HitOutcome::Unwanted };
    }
    const { assert!(UNWANTED < UNKNOWN_ELINK) };
    let time = epoch.begin + (25 * message.ticks() + 4) / 8;
    let time = time.wrapping_add_signed(correction) | (upper & ADDRESS_HIGH) << 31;
    let upper = upper & !(ADDRESS_HIGH | MASKED) | u32::from(message.adc());
    HitOutcome::Digi(u64::from(upper) << 32 | u64::from(time))
}

impl Cursor<'_> {
    /// Processes `messages` words, or all that remain.
    #[inline(always)]
    pub(super) fn go(
        &mut self,
        words: usize,
        fate: impl Fn(&Microslice<'_>, Message, &Epoch) -> HitOutcome,
        mut put: impl FnMut(Digi),
    ) {
        let (these, rest) = self.words.split_at(words.min(self.words.len()));
        let window = self.microslice.board.window;
        let mut epoch = self.clock.epoch(window);
        for word in these {
            let message = message(word);
            match message.kind() {
                Kind::Hit => {
                    let fate = fate(&self.microslice, message, &epoch);
                    fate.count(&mut self.counts, self.microslice.rules);
                    if let HitOutcome::Digi(bits) = fate {
                        put(Digi::from_bits(bits));
                    }
                }
                Kind::TsMsb => {
                    self.clock.advance(message.value());
                    epoch = self.clock.epoch(window);
                }
                _ => self.counts.other += 1,
            }
        }
        self.words = rest;
    }
}

/// Unpacks all of a microslice; returns its counts.
#[inline(always)]
pub(super) fn unpack(
    microslice: Microslice<'_>,
    fate: impl Fn(&Microslice<'_>, Message, &Epoch) -> HitOutcome,
    put: impl FnMut(Digi),
) -> MicrosliceCounts {
    match microslice.begin() {
        Ok(mut cursor) => {
            cursor.go(usize::MAX, fate, put);
            cursor.counts
        }
        Err(counts) => counts,
    }
}

#[inline(always)]
pub(super) fn message(word: &Word) -> Message {
    Message::from_bytes(*word)
}
