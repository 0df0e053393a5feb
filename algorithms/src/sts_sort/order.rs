//! Sort keys of digis.

use generators::sts::Digi;

/// Maximum number of digits of any key.
pub(super) const MAX_DIGITS: usize = 6;

/// An order of digis.
pub(crate) trait Order {
    /// The sort key.
    fn key(digi: Digi) -> u64;

    /// The digits of the key from the least significant: the lowest bit in the digi and the number
    /// of bits, at most 8. None crosses a boundary between fields of the digi.
    const DIGITS: &'static [(u32, u32)];
}

/// By channel, then by time.
pub(crate) struct ByChannelAndTime;

impl Order for ByChannelAndTime {
    #[inline]
    fn key(digi: Digi) -> u64 {
        digi.key()
    }

    const DIGITS: &'static [(u32, u32)] = &[(0, 8), (8, 8), (16, 8), (24, 7), (37, 8), (45, 3)];
}

/// By time alone.
pub(crate) struct ByTime;

impl Order for ByTime {
    #[inline]
    fn key(digi: Digi) -> u64 {
        digi.time_ns().into()
    }

    const DIGITS: &'static [(u32, u32)] = &[(0, 8), (8, 8), (16, 8), (24, 7)];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All digits of a digi, put together again.
    fn put_together<O: Order>(digi: Digi) -> u64 {
        let digits = O::DIGITS.iter().rev();
        digits.fold(0, |key, (shift, bits)| key << bits | digi.bits() >> shift & ((1 << bits) - 1))
    }

    #[test]
    fn digits_are_those_of_the_key() {
        for bits in [0, u64::MAX, 0x0123_4567_89ab_cdef, 1 << 31 | 1 << 36] {
            let digi = Digi::from_bits(bits);
            assert_eq!(put_together::<ByTime>(digi), ByTime::key(digi));
            assert_eq!(put_together::<ByChannelAndTime>(digi), digi.key());
        }
        let bits = |digits: &[(u32, u32)]| digits.iter().map(|(_, bits)| bits).sum::<u32>();
        assert_eq!(bits(ByTime::DIGITS), 31);
        assert_eq!(bits(ByChannelAndTime::DIGITS), Digi::KEY_BITS);
        assert!(ByTime::DIGITS.len().max(ByChannelAndTime::DIGITS.len()) <= MAX_DIGITS);
    }
}
