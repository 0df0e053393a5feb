//! Histograms of times in the form of Prometheus.

/// Upper bounds of the buckets of latencies, in s: three per decade, from 0.1 ms on.
pub const LATENCY: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 25.0, 50.0, 100.0,
];
/// Upper bounds of the buckets of delays, in s: from a microsecond on.
pub const LATENESS: &[f64] = &[
    0.000001, 0.0000025, 0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001,
    0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0,
];

/// Histogram of times.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    bounds: &'static [f64],
    /// Counts by bucket; the last bucket has the times above all bounds.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    /// An empty histogram with ascending upper bounds of buckets in s.
    pub fn new(bounds: &'static [f64]) -> Self {
        Histogram { bounds, counts: vec![0; bounds.len() + 1], sum: 0.0 }
    }

    /// Counts a time in s.
    pub fn add(&mut self, seconds: f64) {
        let bucket = self.bounds.partition_point(|&bound| bound < seconds);
        self.counts[bucket] += 1;
        self.sum += seconds;
    }

    /// Number of times.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Sum of all times, in s.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Upper bound of each bucket, the last one infinite, with the number of times that do not
    /// exceed it.
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let counts = self.counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        bounds.zip(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_in_all_buckets_that_it_does_not_exceed() {
        let mut histogram = Histogram::new(&[0.1, 1.0]);
        for seconds in [0.05, 0.1, 0.5, 7.0] {
            histogram.add(seconds);
        }
        let cumulative: Vec<_> = histogram.cumulative().collect();
        assert_eq!(cumulative, [(0.1, 2), (1.0, 3), (f64::INFINITY, 4)]);
        assert_eq!((histogram.count(), histogram.sum()), (4, 7.65));
    }

    #[test]
    fn buckets_ascend() {
        for bounds in [LATENCY, LATENESS] {
            assert!(bounds.is_sorted_by(|low, high| low < high));
        }
    }
}
