//! The upper bits of the time within a range.

use generators::sts::Digi;

/// Sampling distance in digis: reading more takes longer than it gains.
const STRIDE: usize = 64;

/// Smallest sample, if there are enough digis.
const MIN_SAMPLE: usize = 128;

/// Some of the digis, evenly spread, whatever their number.
pub(in super::super) fn sample(digis: &[Digi]) -> impl ExactSizeIterator<Item = Digi> + '_ {
    let stride = (digis.len() / MIN_SAMPLE).clamp(1, STRIDE);
    digis.iter().step_by(stride).copied()
}

/// The range that the times of digis are in, more or less.
#[derive(Clone, Copy)]
pub(in super::super) struct TimeRange {
    earliest: u32,
    latest: u32,
}

impl TimeRange {
    /// From the earliest to the latest time, both included, in ns.
    pub(in super::super) fn new(earliest: u32, latest: u32) -> Self {
        TimeRange { earliest, latest }
    }

    /// The range of a sample: more or less that of all. There is a digi at least.
    pub(in super::super) fn of_sample(digis: &[Digi]) -> Self {
        let of_all = (u32::MAX, 0);
        let (earliest, latest) = sample(digis).fold(of_all, |(earliest, latest), digi| {
            (digi.time_ns().min(earliest), digi.time_ns().max(latest))
        });
        TimeRange { earliest, latest }
    }

    /// The length in ns.
    pub(in super::super) fn length(&self) -> f64 {
        f64::from(self.latest - self.earliest) + 1.0
    }

    /// Divides the range into at most 2^`bits` buckets; more than half of that if the range has at
    /// least that many nanoseconds.
    pub(in super::super) fn coarse(&self, bits: u32) -> CoarseTime {
        let span = self.latest - self.earliest;
        let span_bits = span.checked_ilog2().map_or(0, |log| log + 1);
        CoarseTime { earliest: self.earliest, span, shift: span_bits.saturating_sub(bits) }
    }
}

/// A range of times in buckets of equal length.
pub(in super::super) struct CoarseTime {
    earliest: u32,
    span: u32,
    shift: u32,
}

impl CoarseTime {
    /// Number of buckets.
    pub(in super::super) fn buckets(&self) -> usize {
        (self.span >> self.shift) as usize + 1
    }

    /// The bucket of a digi. The range comes from a sample, which may have
    /// missed the extremes: times beyond count as if they were there, which
    /// keeps the order.
    #[inline]
    pub(in super::super) fn bucket(&self, digi: Digi) -> usize {
        let time = digi.time_ns().saturating_sub(self.earliest).min(self.span);
        (time >> self.shift) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_keep_the_order_of_times_even_beyond_the_range() {
        let coarse = TimeRange::new(1000, 1_001_000).coarse(4);
        assert!((9..=16).contains(&coarse.buckets()));
        let times = [0, 999, 1000, 90_000, 500_000, 1_001_000, 1_001_001, 0x7fff_ffff];
        let buckets = times.map(|time| coarse.bucket(Digi::from_bits(time)));
        assert!(buckets.is_sorted());
        assert_eq!((buckets[0], buckets[7]), (0, coarse.buckets() - 1));
        assert!(buckets[4] > buckets[3]);
    }

    #[test]
    fn a_range_may_be_short_or_full() {
        assert_eq!(TimeRange::new(5, 5).coarse(8).buckets(), 1);
        assert_eq!(TimeRange::new(5, 6).coarse(8).buckets(), 2);
        assert_eq!(TimeRange::new(0, 0x7fff_ffff).coarse(10).buckets(), 1024);
    }
}
