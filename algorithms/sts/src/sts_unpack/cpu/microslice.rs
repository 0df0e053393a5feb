//! A microslice, message by message, and the epochs that its hits need.

use generators_sts::Digi;
use generators_sts::raw::clock::{CYCLE_NS, EPOCHS_PER_CYCLE, TICKS_PER_EPOCH};
use generators_sts::raw::{Kind, MESSAGE_BYTES, Message, MicrosliceCounts, Rules};

use crate::sts_unpack::exact::{ADC_VALUES, HitOutcome};
use crate::sts_unpack::survey::Job;
use crate::sts_unpack::tables::{ADDRESS_HIGH, Board, MASKED, UNKNOWN_ELINK, UNWANTED, Window};

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

/// 25 times the ticks of an epoch, which are 8 times its length in ns.
const EIGHTHS_OF_NS: u64 = 25 * TICKS_PER_EPOCH;

/// Epoch number in a microslice, with the begin of the epoch; all arithmetic wraps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// The first epoch of the cycle, counted from the beginning of the timeslice.
    cycle: u64,
    /// The epoch's number in its cycle.
    number: u32,
}

/// An epoch with the values that hits need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch {
    /// Eighths of ns from the beginning of the timeslice to its own.
    pub(crate) eighths: u64,
    /// Begin of the epoch in ns, if hits can be looked up.
    pub(crate) begin: u32,
    /// True if hits can be looked up.
    pub(crate) is_inner: bool,
}

impl Clock {
    /// At the beginning of a microslice.
    #[inline]
    pub(crate) fn new(job: &Job) -> Self {
        // The experiment's code divides with a sign.
        let cycle = (job.index as i64 / CYCLE_NS as i64) as u64;
        let cycle = cycle.wrapping_mul(EPOCHS_PER_CYCLE).wrapping_sub(job.first_epoch);
        Clock { cycle, number: 0 }
    }

    /// The next number of an epoch: a smaller one is of the next cycle.
    #[inline]
    pub(crate) fn advance(&mut self, number: u32) {
        if number < self.number {
            self.cycle = self.cycle.wrapping_add(EPOCHS_PER_CYCLE);
        }
        self.number = number;
    }

    /// The epoch that it is.
    #[inline]
    pub(crate) fn epoch(&self, window: Window) -> Epoch {
        let eighths = self.cycle.wrapping_add(self.number.into()).wrapping_mul(EIGHTHS_OF_NS);
        // In the window no sum wraps: it is exact to divide first.
        let begin = eighths / 8;
        Epoch { eighths, begin: begin as u32, is_inner: window.has(begin) }
    }
}
