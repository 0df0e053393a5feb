//! Runs: consecutive digis of the same bucket of coarse time.
//!
//! The output of a read-out board is nearly in order of time, so that hundreds of consecutive digis
//! are in the same bucket. Finding the starts of runs takes a comparison per digi; counting or
//! moving digis one by one would mean that each waits for the count of the one before.

use generators_sts::Digi;
use parallel::map;

use crate::sts_sort::cpu::scatter::begin;

/// Runs are of no use if they have fewer digis than this on average.
const SHORTEST: usize = 16;

/// Number of digis below which a few short runs are not significant.
const TOO_FEW: usize = 1024;

/// The runs of all buckets.
pub(in super::super) struct Runs {
    /// In parts of the digis, in their order.
    parts: Vec<RunsOfPart>,
    /// Ends of the buckets, if they are consecutive.
    ends: Vec<usize>,
}

/// The runs of a part: those of a bucket are adjacent, in their order.
struct RunsOfPart {
    runs: Vec<Run>,
    /// End of each bucket's runs.
    ends: Vec<u32>,
    /// Number of digis in each bucket.
    digis: Vec<u32>,
}

/// Digis that follow each other.
#[derive(Clone, Copy, Default)]
struct Run {
    first: u32,
    length: u32,
}

impl Runs {
    /// The runs of digis in buckets of time, in parts of this length, which run in parallel; none
    /// if they are short.
    pub(in super::super) fn find(digis: &[Digi], part: usize, time: &CoarseTime) -> Option<Runs> {
        let parts = digis.chunks(part).enumerate();
        let found = map(parts, |(index, digis)| RunsOfPart::find(digis, index * part, time));
        let parts = found.into_iter().collect::<Option<Vec<_>>>()?;
        let mut end = 0;
        let ends = (0..time.buckets()).map(|bucket| {
            end += parts.iter().map(|part| part.digis[bucket] as usize).sum::<usize>();
            end
        });
        let ends = ends.collect();
        Some(Runs { parts, ends })
    }

    /// A run for each bucket, of digis in order of buckets; `ends` are the ends of the buckets.
    pub(in super::super) fn of_buckets(ends: Vec<usize>) -> Runs {
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let run = |(first, &end): (usize, &usize)| Run {
            first: first as u32,
            length: (end - first) as u32,
        };
        let runs: Vec<_> = starts.zip(&ends).map(run).collect();
        let digis = runs.iter().map(|run| run.length).collect();
        let part = RunsOfPart { ends: (1..=runs.len() as u32).collect(), runs, digis };
        Runs { parts: vec![part], ends }
    }

    /// Ends of the buckets, if they are consecutive.
    pub(in super::super) fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// The digis of a bucket in their order: in place if they are one run, or copied to `buffer`.
    pub(in super::super) fn gather<'a>(
        &self,
        source: &'a [Digi],
        bucket: usize,
        buffer: &'a mut Vec<Digi>,
    ) -> &'a [Digi] {
        let mut runs = self.parts.iter().flat_map(|part| part.runs_of(bucket));
        let digis = |run: &Run| &source[run.first as usize..][..run.length as usize];
        let first = runs.next().map_or(&[][..], digis);
        let Some(second) = runs.next() else { return first };
        buffer.clear();
        buffer.extend_from_slice(first);
        buffer.extend_from_slice(digis(second));
        runs.for_each(|run| buffer.extend_from_slice(digis(run)));
        buffer
    }
}

impl RunsOfPart {
    /// The runs of digis, the first of which is that of this number.
    fn find(digis: &[Digi], first: usize, time: &CoarseTime) -> Option<Self> {
        let found = in_order(digis, first as u32, time)?;
        let mut ends = vec![0; time.buckets()];
        let mut of_buckets = vec![0; time.buckets()];
        for (bucket, run) in &found {
            ends[*bucket] += 1;
            of_buckets[*bucket] += run.length;
        }
        begin(&mut ends);
        let mut runs = vec![Run::default(); found.len()];
        for (bucket, run) in found {
            // This advances each begin to the end.
            runs[ends[bucket] as usize] = run;
            ends[bucket] += 1;
        }
        Some(RunsOfPart { runs, ends, digis: of_buckets })
    }

    fn runs_of(&self, bucket: usize) -> &[Run] {
        let begin = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        &self.runs[begin as usize..self.ends[bucket] as usize]
    }
}

/// The runs in their order, each with its bucket; none if they are short. There is a digi at least.
fn in_order(digis: &[Digi], first: u32, time: &CoarseTime) -> Option<Vec<(usize, Run)>> {
    let mut runs = Vec::new();
    let mut begin = 0;
    let mut bucket = time.bucket(digis[0]);
    let run = |begin: usize, end: usize| Run {
        first: first + begin as u32,
        length: (end - begin) as u32,
    };
    for (at, &digi) in digis.iter().enumerate() {
        let digi_bucket = time.bucket(digi);
        if digi_bucket != bucket {
            runs.push((bucket, run(begin, at)));
            (begin, bucket) = (at, digi_bucket);
            if runs.len() * SHORTEST > at + TOO_FEW {
                return None;
            }
        }
    }
    runs.push((bucket, run(begin, digis.len())));
    Some(runs)
}

/// Sampling distance in digis: reading more takes longer than it gains.
const STRIDE: usize = 64;

/// Smallest sample, if there are enough digis.
const MIN_SAMPLE: usize = 128;

/// Some of the digis, evenly spread, whatever their number.
pub(in crate::sts_sort::cpu) fn sample(digis: &[Digi]) -> impl ExactSizeIterator<Item = Digi> + '_ {
    let stride = (digis.len() / MIN_SAMPLE).clamp(1, STRIDE);
    digis.iter().step_by(stride).copied()
}

/// The range that the times of digis are in, more or less.
#[derive(Clone, Copy)]
pub(in crate::sts_sort::cpu) struct TimeRange {
    earliest: u32,
    latest: u32,
}

impl TimeRange {
    /// From the earliest to the latest time, both included, in ns.
    pub(in crate::sts_sort::cpu) fn new(earliest: u32, latest: u32) -> Self {
        TimeRange { earliest, latest }
    }

    /// The range of a sample: more or less that of all. There is a digi at least.
    pub(in crate::sts_sort::cpu) fn of_sample(digis: &[Digi]) -> Self {
        let of_all = (u32::MAX, 0);
        let (earliest, latest) = sample(digis).fold(of_all, |(earliest, latest), digi| {
            (digi.time_ns().min(earliest), digi.time_ns().max(latest))
        });
        TimeRange { earliest, latest }
    }

    /// The length in ns.
    pub(in crate::sts_sort::cpu) fn length(&self) -> f64 {
        f64::from(self.latest - self.earliest) + 1.0
    }

    /// Divides the range into at most 2^`bits` buckets; more than half of that if the range has at
    /// least that many nanoseconds.
    pub(in crate::sts_sort::cpu) fn coarse(&self, bits: u32) -> CoarseTime {
        let span = self.latest - self.earliest;
        let span_bits = span.checked_ilog2().map_or(0, |log| log + 1);
        CoarseTime { earliest: self.earliest, span, shift: span_bits.saturating_sub(bits) }
    }
}

/// A range of times in buckets of equal length.
pub(in crate::sts_sort::cpu) struct CoarseTime {
    earliest: u32,
    span: u32,
    shift: u32,
}

impl CoarseTime {
    /// Number of buckets.
    pub(in crate::sts_sort::cpu) fn buckets(&self) -> usize {
        (self.span >> self.shift) as usize + 1
    }

    /// The bucket of a digi. The range comes from a sample, which may have
    /// missed the extremes: times beyond count as if they were there, which
    /// keeps the order.
    #[inline]
    pub(in crate::sts_sort::cpu) fn bucket(&self, digi: Digi) -> usize {
        let time = digi.time_ns().saturating_sub(self.earliest).min(self.span);
        (time >> self.shift) as usize
    }
}

#[cfg(test)]
mod tests {
    use generators_common::random::mix;

    use super::*;

    fn in_buckets(runs: &Runs, digis: &[Digi]) -> Vec<Digi> {
        let mut all = Vec::new();
        let mut buffer = Vec::new();
        for (bucket, &end) in runs.ends().iter().enumerate() {
            all.extend_from_slice(runs.gather(digis, bucket, &mut buffer));
            assert_eq!(all.len(), end);
        }
        all
    }

    #[test]
    fn digis_of_runs_come_bucket_by_bucket_in_their_order() {
        let time = TimeRange::new(0, 1023).coarse(3);
        // Steps of ten digis of about the same time, some in another bucket.
        let digi = |i: u64| Digi::from_bits((mix(i / 10) % 1000 + i % 2) & 0x3ff | i << 32);
        for length in [1, 9, 10, 11, 1234] {
            let digis: Vec<_> = (0..length).map(digi).collect();
            let mut expected = digis.clone();
            expected.sort_by_key(|&digi| time.bucket(digi));
            for part in [16, 100, 5000] {
                let runs = Runs::find(&digis, part, &time).expect("they are long");
                assert_eq!(in_buckets(&runs, &digis), expected, "{length} in parts of {part}");
            }
            let ends = |bucket| expected.partition_point(|&digi| time.bucket(digi) <= bucket);
            let runs = Runs::of_buckets((0..time.buckets()).map(ends).collect());
            assert_eq!(in_buckets(&runs, &expected), expected);
        }
    }

    #[test]
    fn short_runs_are_of_no_use() {
        let time = TimeRange::new(0, 1023).coarse(5);
        let digis: Vec<_> = (0..2000).map(|i| Digi::from_bits(mix(i) & 0x3ff)).collect();
        assert!(Runs::find(&digis, 2000, &time).is_none());
    }

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
