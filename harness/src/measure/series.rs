//! Series of samples, from rows and for them.

use algorithms::timing::StageTiming;
use reports::record::{Params, SampleRow, flags};
use reports::statistics;

use super::Sample;
use super::rounds::Series;
use super::rows::{SAMPLE, is_whole};

/// What is not said of an interval.
const FULL_LEVEL: f64 = 0.95;

/// Samples from their rows, in the order of the rows. What rows don't tell of stages
/// (calls and bytes) is as in `own` samples of the same candidate.
pub(super) fn series_of(rows: &[SampleRow], own: &Series<Sample>) -> Series<Sample> {
    let mut series = Series::default();
    let known: Vec<&StageTiming> = own
        .samples
        .iter()
        .find_map(|sample| sample.stages.as_ref())
        .into_iter()
        .flatten()
        .collect();
    for of_sample in rows.chunk_by(|a, b| a.sample == b.sample) {
        let (whole, parts): (Vec<_>, Vec<_>) =
            of_sample.iter().partition(|row| is_whole(&row.stage));
        let Some(row) = whole.first() else {
            continue;
        };
        let has = |flag| flags::has(&row.flags, flag);
        if has(flags::FRESH) {
            series.visits.push(series.seconds.len());
        }
        let prefix = format!("{SAMPLE}/");
        let stage = |row: &&SampleRow| {
            let name = row.stage.strip_prefix(&prefix).unwrap_or(&row.stage);
            let known = known.iter().find(|stage| stage.name == name);
            StageTiming {
                name: name.to_owned().into(),
                seconds: row.seconds,
                calls: known.map_or(0, |stage| stage.calls),
                bytes: known.map_or(0, |stage| stage.bytes),
            }
        };
        let sample = Sample {
            seconds: row.seconds,
            cpu_seconds: row.cpu_s,
            stages: (!parts.is_empty()).then(|| parts.iter().map(stage).collect()),
            migrated: has(flags::MIGRATED),
            in_place: !has(flags::OUTSIDE_PLACE),
            disturbed: has(flags::DISTURBED),
            slow_clock: has(flags::SLOW_CLOCK),
            launches_in_stages: has(flags::LATE_LAUNCHES),
            ..Sample::default()
        };
        if sample.in_place {
            series.seconds.push(sample.seconds);
        }
        series.samples.push(sample);
    }
    series
}

/// The times of a stage in all samples that have stages, and where in them visits begin.
pub(super) fn times_of(
    stage: &StageTiming,
    counted: &[&Sample],
    visits: &[usize],
) -> (Vec<f64>, Vec<usize>) {
    let (mut seconds, mut starts) = (Vec::new(), Vec::new());
    for (number, sample) in counted.iter().enumerate() {
        if visits.contains(&number) {
            starts.push(seconds.len());
        }
        if let Some(stages) = &sample.stages {
            let times = stages.iter().filter(|other| other.name == stage.name);
            seconds.push(times.map(|other| other.seconds).sum());
        }
    }
    (seconds, starts)
}

/// Few samples have an interval that holds the truth less often than 95 %: how often.
pub(super) fn level_of(found: Option<statistics::Leveled>) -> Params {
    let mut metrics = Params::default();
    if let Some(found) = found.filter(|found| found.level < FULL_LEVEL) {
        metrics.set("interval_level", format!("{:.2}", found.level));
    }
    metrics
}
