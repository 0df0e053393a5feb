//! Statistics and rates of each valid row, computed from its samples again by the code that writes
//! them.

use std::collections::{HashMap, HashSet};

use super::finding::row_words;
use super::samples::{ByPoint, counts};
use super::{Finding, Rule};
use crate::grouped::grouped;
use crate::rank::is_whole;
use crate::record::{
    INTERVAL_LEVEL, Params, SampleRow, SampleStatistics, SummaryRow, YesNo, flags,
};

/// All problems.
pub(super) fn problems(rows: &[SummaryRow], by_point: &ByPoint<'_>) -> Vec<Finding> {
    let points = grouped(rows.iter().enumerate(), |(_, row)| row.point().id());
    let problems = points.iter().flat_map(|(id, rows)| {
        let whole = rows.iter().find(|(_, row)| is_whole(&row.stage));
        let series = WholeSeries::new(whole.map_or(&[], |(_, row)| by_point.get(id, &row.stage)));
        let series =
            WholeSeries { has_parts: by_point.parts(id).map(|it| it.sample).collect(), ..series };
        let valid = rows.iter().filter(|(_, row)| row.valid == YesNo::Yes);
        let problem = |&(index, row): &(usize, &SummaryRow)| {
            let samples = by_point.get(id, &row.stage);
            let times =
                if is_whole(&row.stage) { series.times() } else { series.times_of(samples) };
            let found = SampleStatistics::new(&times.seconds, &times.block_offsets)?;
            let difference = difference(row, &found)?;
            Some(format!("{}: {difference}", row_words(index, row)))
        };
        valid.filter_map(problem).collect::<Vec<String>>()
    });
    let problems: Vec<String> = problems.collect();
    let things = "rows are not those of their samples";
    Finding::first_of(Rule::Statistics, things, &problems).into_iter().collect()
}

/// Samples of the complete runs of a point.
struct WholeSeries<'a> {
    counted: Vec<&'a SampleRow>,
    /// Offsets of the blocks among the samples that count.
    block_offsets: Vec<usize>,
    /// Indices of samples that have stages.
    has_parts: HashSet<usize>,
}

/// Times in seconds, with the offsets of blocks.
struct Times {
    seconds: Vec<f64>,
    block_offsets: Vec<usize>,
}

impl<'a> WholeSeries<'a> {
    fn new(samples: &[&'a SampleRow]) -> Self {
        let mut series = WholeSeries {
            counted: Vec::new(),
            block_offsets: Vec::new(),
            has_parts: HashSet::new(),
        };
        for sample in samples {
            if flags::has(&sample.flags, flags::FRESH) {
                series.block_offsets.push(series.counted.len());
            }
            if counts(sample) {
                series.counted.push(sample);
            }
        }
        series
    }

    /// Times of complete runs.
    fn times(&self) -> Times {
        Times {
            seconds: self.counted.iter().map(|sample| sample.seconds).collect(),
            block_offsets: self.block_offsets.clone(),
        }
    }

    /// Times of a stage in all samples that have stages.
    fn times_of(&self, stage: &[&SampleRow]) -> Times {
        let mut of_sample: HashMap<usize, Vec<f64>> = HashMap::new();
        for row in stage {
            of_sample.entry(row.sample).or_default().push(row.seconds);
        }
        let mut times = Times { seconds: Vec::new(), block_offsets: Vec::new() };
        for (index, sample) in self.counted.iter().enumerate() {
            if self.block_offsets.contains(&index) {
                times.block_offsets.push(times.seconds.len());
            }
            if self.has_parts.contains(&sample.sample) {
                let own = of_sample.get(&sample.sample).map_or(&[][..], Vec::as_slice);
                times.seconds.push(own.iter().sum());
            }
        }
        times
    }
}

/// First value of a row that is not that of its samples.
fn difference(row: &SummaryRow, found: &SampleStatistics) -> Option<String> {
    let expected = found.fill(SummaryRow { metrics: Params::default(), ..row.clone() });
    let numbers = |row: &SummaryRow| {
        [
            ("samples", Some(row.samples as f64)),
            ("median_s", row.median_s),
            ("mean_s", row.mean_s),
            ("stddev_s", row.stddev_s),
            ("min_s", row.min_s),
            ("p95_s", row.p95_s),
            ("p99_s", row.p99_s),
            ("max_s", row.max_s),
            ("ci95_low_s", row.ci95_low_s),
            ("ci95_high_s", row.ci95_high_s),
            ("items_per_s", row.items_per_s),
            ("bytes_per_s", row.bytes_per_s),
            (INTERVAL_LEVEL, row.metrics.number(INTERVAL_LEVEL)),
        ]
    };
    let word = |number: Option<f64>| number.map_or("nothing".to_owned(), |it| it.to_string());
    let pairs = numbers(row).into_iter().zip(numbers(&expected));
    let mut differing = pairs.filter(|((_, own), (_, expected))| own != expected);
    let ((name, own), (_, expected)) = differing.next()?;
    Some(format!("{name} is {}, but {} by samples.csv", word(own), word(expected)))
}
