//! What a sample of the digis tells about their times.

use generators::sts::Digi;

/// Every so many digis one is looked at.
const STRIDE: usize = 16;

/// Channels that digis spread over, more or less evenly.
const TYPICAL_CHANNELS: f64 = 1024.0;

/// If a digi has to pass fewer than this many others in the final pass, no
/// scatter by time is worth its while.
const TOLERABLE: f64 = 1.0;

/// Cells of channel and coarse time for each digi: so many that a cell seldom
/// has two digis that could be in the wrong order.
const CELLS_PER_DIGI: f64 = 16.0;

/// More buckets than this in one pass no longer fit the first-level cache.
const MAX_BITS_PER_PASS: u32 = 9;

/// The range of the times, and how far they are from ascending.
pub(super) struct Survey {
    digis: usize,
    earliest: u32,
    latest: u32,
    /// How far, on average, a digi is behind the latest one before it, in ns.
    mean_lag: f64,
}

impl Survey {
    pub(super) fn of(digis: &[Digi]) -> Self {
        let (mut earliest, mut latest, mut lag) = (u32::MAX, 0, 0_u64);
        for digi in digis.iter().step_by(STRIDE) {
            let time = digi.time_ns();
            earliest = earliest.min(time);
            latest = latest.max(time);
            lag += u64::from(latest - time);
        }
        Survey {
            digis: digis.len(),
            earliest,
            latest,
            mean_lag: lag as f64 / digis.len().div_ceil(STRIDE) as f64,
        }
    }

    /// The digits of the coarse time to scatter by, least significant first;
    /// none if the digis are nearly in order of time.
    pub(super) fn time_digits(&self) -> Vec<TimeDigit> {
        let in_channel = self.digis as f64 / TYPICAL_CHANNELS;
        let range = f64::from(self.latest - self.earliest) + 1.0;
        let to_pass = self.mean_lag / range * in_channel;
        if to_pass < TOLERABLE {
            return Vec::new();
        }
        let wanted = (CELLS_PER_DIGI * in_channel).log2().ceil().max(1.0) as u32;
        let range_bits = (self.latest - self.earliest).max(1).ilog2() + 1;
        let bits = wanted.min(range_bits);
        self.digits(bits, range_bits - bits)
    }

    /// The `bits` above the `ignored` ones, in passes of equal size.
    fn digits(&self, bits: u32, ignored: u32) -> Vec<TimeDigit> {
        let passes = bits.div_ceil(MAX_BITS_PER_PASS);
        let bits_per_pass = bits.div_ceil(passes);
        let digit = |pass: u32| TimeDigit {
            earliest: self.earliest,
            span: self.latest - self.earliest,
            shift: ignored + pass * bits_per_pass,
            mask: (1 << bits_per_pass) - 1,
        };
        (0..passes).map(digit).collect()
    }
}

/// Some bits of the time since the earliest one.
pub(super) struct TimeDigit {
    earliest: u32,
    span: u32,
    shift: u32,
    mask: u32,
}

impl TimeDigit {
    pub(super) fn buckets(&self) -> usize {
        self.mask as usize + 1
    }

    /// The sample may have missed the extremes: what is beyond them counts as
    /// if it were there, which keeps the order.
    #[inline]
    pub(super) fn of(&self, digi: Digi) -> usize {
        let time = digi.time_ns().saturating_sub(self.earliest).min(self.span);
        (time >> self.shift & self.mask) as usize
    }
}

#[cfg(test)]
mod tests {
    use generators::sts::{DigiShape, Order, Skew, generate};

    use super::*;

    fn digits(order: Order, digis: u64) -> Vec<TimeDigit> {
        let shape = DigiShape {
            segments: 1,
            digis,
            order,
            skew: Skew::Ratio(1.0),
            duplicates: 0.0,
            timeslice_ns: 1 << 31,
        };
        let digis = generate(&shape, 1).expect("a sensible shape");
        Survey::of(digis.digis()).time_digits()
    }

    #[test]
    fn nearly_ordered_digis_need_no_scatter_by_time() {
        for digis in [300, 10_000, 1_000_000] {
            assert!(digits(Order::Time, digis).is_empty());
            assert!(digits(Order::Jitter(64), digis).is_empty());
        }
    }

    #[test]
    fn disordered_digis_need_more_bits_the_more_there_are() {
        let bits = |digis| -> u32 {
            let digits = digits(Order::Random, digis);
            digits.iter().map(|digit| digit.buckets().ilog2()).sum()
        };
        assert_eq!(bits(10_000), 8);
        assert!((14..=16).contains(&bits(1_000_000)), "{}", bits(1_000_000));
    }

    #[test]
    fn digits_keep_the_order_of_times_beyond_the_sample() {
        let survey = Survey {
            digis: 10_000,
            earliest: 1000,
            latest: 1_001_000,
            mean_lag: 5e5,
        };
        let digits = survey.time_digits();
        let coarse = |time: u32| {
            let digi = Digi::from_bits(u64::from(time));
            digits
                .iter()
                .rev()
                .fold(0, |sum, digit| sum * digit.buckets() + digit.of(digi))
        };
        let times = [
            0,
            999,
            1000,
            5000,
            500_000,
            1_001_000,
            1_001_001,
            0x7fff_ffff,
        ];
        assert!(times.map(coarse).is_sorted());
        assert!(coarse(500_000) > coarse(5000));
    }
}
