//! Sort keys of digis, and the order within channels that Concat Sort requires.

use generators_sts::{Digi, SegmentedDigis};

use tasks::device::Unavailable;

/// Maximum number of digits of any key.
pub(super) const MAX_DIGITS: usize = 6;

/// A digit of a sort key: some bits of a digi.
#[derive(Clone, Copy)]
pub(crate) struct Digit {
    /// The lowest bit.
    pub(crate) shift: u32,
    /// Number of bits.
    pub(crate) bits: u32,
}

/// Digits of a digi's time: its lowest 31 bits.
const TIME_DIGITS: [Digit; 4] =
    [Digit::new(0, 8), Digit::new(8, 8), Digit::new(16, 8), Digit::new(24, 7)];

impl Digit {
    pub(crate) const fn new(shift: u32, bits: u32) -> Self {
        Digit { shift, bits }
    }
}

/// An order of digis.
pub(crate) trait Order {
    /// The sort key.
    fn key(digi: Digi) -> u64;

    /// The digits of the key, the least significant first, of at most 8 bits each. None crosses a
    /// boundary between fields of the digi.
    const DIGITS: &'static [Digit];
}

/// By channel, then by time.
pub(crate) struct ByChannelAndTime;

impl Order for ByChannelAndTime {
    #[inline]
    fn key(digi: Digi) -> u64 {
        digi.key()
    }

    const DIGITS: &'static [Digit] = &[
        TIME_DIGITS[0],
        TIME_DIGITS[1],
        TIME_DIGITS[2],
        TIME_DIGITS[3],
        Digit::new(37, 8),
        Digit::new(45, 3),
    ];
}

/// By time alone.
pub(crate) struct ByTime;

impl Order for ByTime {
    #[inline]
    fn key(digi: Digi) -> u64 {
        digi.time_ns().into()
    }

    const DIGITS: &'static [Digit] = &TIME_DIGITS;
}

/// All 11 bits of a channel.
pub(super) const CHANNELS: usize = 1 << 11;

/// Refuses inputs with a channel whose digis are not in order of time.
pub(super) fn channels_in_order(input: &SegmentedDigis) -> Result<(), Unavailable> {
    for (index, segment) in input.segments().enumerate() {
        let mut latest = [0; CHANNELS];
        for &digi in segment {
            let latest = &mut latest[usize::from(digi.channel())];
            if digi.time_ns() < *latest {
                return Err(Unavailable(format!(
                    "its digis must be in order of time in each channel; channel {} of segment \
                     {index} has {} ns after {latest} ns",
                    digi.channel(),
                    digi.time_ns()
                )));
            }
            *latest = digi.time_ns();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All digits of a digi, put together again.
    fn put_together<O: Order>(digi: Digi) -> u64 {
        let digits = O::DIGITS.iter().rev();
        digits.fold(0, |key, &Digit { shift, bits }| {
            key << bits | digi.bits() >> shift & ((1 << bits) - 1)
        })
    }

    #[test]
    fn digits_are_those_of_the_key() {
        for bits in [0, u64::MAX, 0x0123_4567_89ab_cdef, 1 << 31 | 1 << 36] {
            let digi = Digi::from_bits(bits);
            assert_eq!(put_together::<ByTime>(digi), ByTime::key(digi));
            assert_eq!(put_together::<ByChannelAndTime>(digi), digi.key());
        }
        let bits = |digits: &[Digit]| digits.iter().map(|digit| digit.bits).sum::<u32>();
        assert_eq!(bits(ByTime::DIGITS), 31);
        assert_eq!(bits(ByChannelAndTime::DIGITS), Digi::KEY_BITS);
        assert!(ByTime::DIGITS.len().max(ByChannelAndTime::DIGITS.len()) <= MAX_DIGITS);
    }
}
