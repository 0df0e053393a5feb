//! Samples of each row: their identity, number and order.

use std::collections::{HashMap, HashSet};

use text::Untrusted;

use super::finding::{line, row_words};
use super::{Finding, Rule};
use crate::rank::is_whole;
use crate::record::{Point, SampleRow, SummaryRow, YesNo, flags};

/// Samples by the id of their point, and by their stage.
pub(super) struct ByPoint<'a>(HashMap<&'a str, HashMap<&'a str, Vec<&'a SampleRow>>>);

impl<'a> ByPoint<'a> {
    /// Groups samples, in the order of the file.
    pub fn new(samples: &'a [SampleRow]) -> Self {
        let mut points: HashMap<_, HashMap<_, Vec<&SampleRow>>> = HashMap::new();
        for sample in samples {
            let stages = points.entry(sample.point_id.as_str()).or_default();
            stages.entry(sample.stage.as_str()).or_default().push(sample);
        }
        ByPoint(points)
    }

    /// Samples of a stage of a point.
    pub fn get(&self, id: &str, stage: &str) -> &[&'a SampleRow] {
        let samples = self.0.get(id).and_then(|stages| stages.get(stage));
        samples.map_or(&[], Vec::as_slice)
    }

    /// Samples of the stages of a point that are parts of runs.
    pub fn parts(&self, id: &str) -> impl Iterator<Item = &'a SampleRow> {
        let stages = self.0.get(id).into_iter().flatten();
        let parts = stages.filter(|(stage, _)| !is_whole(stage));
        parts.flat_map(|(_, samples)| samples.iter().copied())
    }
}

/// True if a sample counts.
pub(super) fn counts(sample: &SampleRow) -> bool {
    !flags::has(&sample.flags, flags::OUTSIDE_CPU_SET)
}

/// All problems.
pub(super) fn problems(
    rows: &[SummaryRow],
    samples: &[SampleRow],
    by_point: &ByPoint<'_>,
) -> Vec<Finding> {
    let strange =
        Finding::first_of(Rule::Samples, "samples are of no row", &of_no_row(rows, samples));
    let order =
        Finding::first_of(Rule::Samples, "samples are out of order", &out_of_order(by_point, rows));
    let twice =
        Finding::first_of(Rule::Duplicates, "samples are there twice", &duplicates(samples));
    let missing = Finding::first_of(Rule::Samples, "rows lack samples", &missing(rows, by_point));
    [strange, order, twice, missing].into_iter().flatten().collect()
}

/// Samples whose point has no row, or a row of other parameters.
fn of_no_row(rows: &[SummaryRow], samples: &[SampleRow]) -> Vec<String> {
    let points: HashMap<String, Point> =
        rows.iter().map(SummaryRow::point).map(|point| (point.id(), point)).collect();
    let stages: HashSet<(String, &str)> =
        rows.iter().map(|row| (row.point().id(), row.stage.as_str())).collect();
    let problem = |(index, sample): (usize, &SampleRow)| {
        let id = sample.point_id.escaped();
        let at = format!("samples.csv, row {}", line(index));
        let Some(point) = points.get(&sample.point_id) else {
            return Some(format!("{at}: summary.csv has no point {id}"));
        };
        let own =
            (&sample.algorithm, &sample.variant, &sample.device, sample.threads, &sample.params);
        let theirs =
            (&point.algorithm, &point.variant, &point.device, point.threads, &point.params);
        if own != theirs {
            return Some(format!("{at}: the point {id} is another one in summary.csv"));
        }
        let is_known = stages.contains(&(sample.point_id.clone(), sample.stage.as_str()));
        (!is_known).then(|| format!("{at}: the point {id} has no stage {}", sample.stage.quoted()))
    };
    samples.iter().enumerate().filter_map(problem).collect()
}

/// Samples of complete runs have indices from 0 without gaps.
fn out_of_order(by_point: &ByPoint<'_>, rows: &[SummaryRow]) -> Vec<String> {
    let whole = rows.iter().enumerate().filter(|(_, row)| is_whole(&row.stage));
    let problem = |(index, row): (usize, &SummaryRow)| {
        let id = row.point().id();
        let samples = by_point.get(&id, &row.stage);
        let mut indexed = samples.iter().enumerate();
        let (expected, wrong) = indexed.find(|(expected, it)| it.sample != *expected)?;
        let found = wrong.sample;
        Some(format!("{}: sample {found} comes where {expected} should be", row_words(index, row)))
    };
    whole.filter_map(problem).collect()
}

/// Samples of complete runs that are there twice. Stages may occur several times in a run.
fn duplicates(samples: &[SampleRow]) -> Vec<String> {
    let mut first: HashMap<(&str, &str, usize), usize> = HashMap::new();
    let mut problems = Vec::new();
    for (index, sample) in samples.iter().enumerate().filter(|(_, it)| is_whole(&it.stage)) {
        let key = (&*sample.point_id, &*sample.stage, sample.sample);
        match first.get(&key) {
            Some(&known) => problems.push(format!(
                "samples.csv, row {} is sample {} of row {} again",
                line(index),
                sample.sample,
                line(known)
            )),
            None => {
                first.insert(key, index);
            }
        }
    }
    problems
}

/// Valid rows of complete runs that have another number of samples than they say.
fn missing(rows: &[SummaryRow], by_point: &ByPoint<'_>) -> Vec<String> {
    let valid = rows.iter().enumerate().filter(|(_, row)| row.valid == YesNo::Yes);
    let problem = |(index, row): (usize, &SummaryRow)| {
        let id = row.point().id();
        let samples = by_point.get(&id, &row.stage);
        let count = samples.iter().filter(|sample| counts(sample)).count();
        let is_right =
            if is_whole(&row.stage) { count == row.samples } else { count > 0 || row.samples == 0 };
        (!is_right).then(|| {
            format!(
                "{} says {} samples, samples.csv has {count}",
                row_words(index, row),
                row.samples
            )
        })
    };
    valid.filter_map(problem).collect()
}
