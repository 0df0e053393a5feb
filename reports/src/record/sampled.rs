//! Statistics of a row from its samples: a run writes them, and a check of the run computes them
//! again.

use statistics::{ConfidenceInterval, Description, Series, describe};

use super::{FULL_LEVEL, INTERVAL_LEVEL, SummaryRow};

/// Statistics of the samples of a row.
#[derive(Clone, Copy, Debug)]
pub struct SampleStatistics {
    description: Description,
    interval: Option<ConfidenceInterval>,
}

impl SampleStatistics {
    /// Statistics of times in seconds, in the order of measuring, with the offset of each block of
    /// samples; `None` without samples.
    pub fn new(seconds: &[f64], block_offsets: &[usize]) -> Option<Self> {
        Some(SampleStatistics {
            description: describe(seconds)?,
            interval: Series::new(seconds, block_offsets).leveled_interval(),
        })
    }

    /// Median in seconds.
    pub fn median(&self) -> f64 {
        self.description.median
    }

    /// Fills in the statistics and the rates that follow from them. Amounts of the row must be set.
    #[must_use]
    pub fn fill(&self, mut row: SummaryRow) -> SummaryRow {
        let SampleStatistics { description, interval } = *self;
        let per_second = |amount: u64| {
            let rate = amount as f64 / description.median;
            rate.is_finite().then_some(rate)
        };
        if let Some(found) = interval.filter(|found| found.level < FULL_LEVEL) {
            row.metrics.set(INTERVAL_LEVEL, format!("{:.2}", found.level));
        }
        SummaryRow {
            samples: description.samples,
            median_s: Some(description.median),
            mean_s: Some(description.mean),
            stddev_s: Some(description.stddev),
            min_s: Some(description.min),
            p95_s: Some(description.p95),
            p99_s: Some(description.p99),
            max_s: Some(description.max),
            ci95_low_s: interval.map(|found| found.interval.low),
            ci95_high_s: interval.map(|found| found.interval.high),
            items_per_s: per_second(row.items),
            bytes_per_s: per_second(row.bytes_min).filter(|_| row.bytes_min > 0),
            ..row
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_follow_from_the_median() {
        let row = SummaryRow { items: 100, ..SummaryRow::default() };
        let found = SampleStatistics::new(&[1.0, 2.0, 4.0], &[0]).expect("samples");
        let row = found.fill(row);
        assert_eq!((row.samples, row.median_s, row.items_per_s), (3, Some(2.0), Some(50.0)));
        assert_eq!(
            (row.bytes_per_s, row.ci95_low_s, row.ci95_high_s),
            (None, Some(1.0), Some(4.0))
        );
        assert_eq!(row.metrics.get(INTERVAL_LEVEL), Some("0.75"));
        assert!(SampleStatistics::new(&[], &[]).is_none());
    }

    #[test]
    fn times_of_nothing_have_no_rate() {
        let row = SummaryRow { items: 100, bytes_min: 8, ..SummaryRow::default() };
        let row = SampleStatistics::new(&[0.0; 10], &[0]).expect("samples").fill(row);
        assert_eq!((row.median_s, row.items_per_s, row.bytes_per_s), (Some(0.0), None, None));
        assert_eq!(row.interval_level(), FULL_LEVEL);
    }
}
