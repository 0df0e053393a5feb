//! Blocks of samples of an input that another process requests one by one, and the summary of them.

use std::time::Instant;

use portable_gpu::DeviceError;
use portable_gpu::timing::StageTiming;
use reports::record::{FAILED, QualityRow, SampleRow, SummaryRow, flags};
use serde::{Deserialize, Serialize};

use super::input::{CandidateState, InputState};
use super::rounds::{SampleIndex, Sampler};
use super::rows::RowBuilder;
use super::sampler::{CandidateSampler, Sample};
use super::stages::{SAMPLE, is_whole};
use super::stopping::Series;

/// A block of samples of a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BlockRequest {
    /// Index of the input.
    pub input: usize,
    /// Index of the point within the input.
    pub point: usize,
    /// Index of the round; both sides of a pair have the same.
    pub round: usize,
    /// Number of samples.
    pub samples: usize,
    /// Run once before the block without taking a sample.
    pub warm_up: bool,
    /// Fraction by which each sample is slowed down; used by self-tests.
    pub slowdown: f64,
    /// Reuse the buffers of the last block: fresh ones are allocated by the system page by page,
    /// which may take longer than a run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keep: bool,
}

/// Predicate for serde.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

impl InputState<'_> {
    /// Fingerprint of a candidate's machine code.
    pub(crate) fn fingerprint(&self, index: usize) -> String {
        self.candidates[index].subject.fingerprint().to_owned()
    }

    /// Checks a candidate on the current input, and keeps it ready; returns its rows if it is not
    /// correct.
    pub(crate) fn check_one(&mut self, index: usize) -> Vec<SummaryRow> {
        let note = self.case.and_then(|case| self.settle(index, case));
        let row = note.map(|note| self.candidates[index].subject.invalid_row(&note));
        row.into_iter().collect()
    }

    /// Quality of a candidate that was checked.
    pub(crate) fn quality(&self, index: usize) -> Vec<QualityRow> {
        self.candidates[index].subject.quality_rows()
    }

    /// Takes samples of a candidate, in fresh buffers or its current ones; returns their rows, and
    /// those of the candidate if it failed. Their starts are relative to `origin`.
    pub(crate) fn sample_one(
        &mut self,
        index: usize,
        order: &BlockRequest,
        origin: Instant,
    ) -> (Vec<SampleRow>, Vec<SummaryRow>) {
        let mut rows = Vec::new();
        let sampler = self.candidates[index].sampler.take();
        let Some((case, mut sampler)) = self.case.zip(sampler) else {
            return (rows, Vec::new());
        };
        if !order.keep && self.is_on_host() {
            case.drop_buffers();
        }
        let candidate = &mut self.candidates[index];
        sampler.slowdown = order.slowdown;
        let taken = candidate.sample(index, order, &mut sampler, |at, subject, sample| {
            rows.extend(subject.sample_rows(at, sample, origin));
        });
        match taken {
            Ok(()) => {
                candidate.sampler = Some(sampler);
                (rows, Vec::new())
            }
            Err(error) => {
                let failed = candidate.subject.invalid_row(&format!("{FAILED}{error}"));
                (rows, vec![failed])
            }
        }
    }

    /// Summary rows of a candidate from all its samples, including those taken by another process.
    pub(crate) fn summary(
        &self,
        index: usize,
        stopped_by: &str,
        samples: &[SampleRow],
    ) -> Vec<SummaryRow> {
        let candidate = &self.candidates[index];
        let series = series_of(samples, &candidate.series);
        candidate.subject.summary_rows(stopped_by, &series)
    }
}

impl CandidateState<'_> {
    fn sample(
        &mut self,
        index: usize,
        order: &BlockRequest,
        sampler: &mut CandidateSampler<'_>,
        mut record: impl FnMut(SampleIndex, &RowBuilder, &Sample),
    ) -> Result<(), DeviceError> {
        if order.warm_up {
            sampler.sample()?;
        }
        self.series.begin_block();
        for sample in 0..order.samples {
            let at = SampleIndex {
                candidate: index,
                round: order.round,
                index: self.series.samples.len(),
                fresh: sample == 0,
            };
            let sample = sampler.sample()?;
            record(at, &self.subject, &sample);
            self.series.push(sample);
        }
        Ok(())
    }
}

/// Rebuilds samples from their rows, in the order of the rows. Calls and bytes of stages are not in
/// the rows; they are copied from `own`, samples of the same candidate.
fn series_of(rows: &[SampleRow], own: &Series<Sample>) -> Series<Sample> {
    let mut series = Series::default();
    let known = own.samples.iter().find_map(|sample| sample.stages.as_ref());
    let known = known.map_or(&[][..], Vec::as_slice);
    let prefix = format!("{SAMPLE}/");
    for of_sample in rows.chunk_by(|a, b| a.sample == b.sample) {
        let (whole, parts): (Vec<_>, Vec<_>) =
            of_sample.iter().partition(|row| is_whole(&row.stage));
        let Some(row) = whole.first() else {
            continue;
        };
        let has = |flag| flags::has(&row.flags, flag);
        if has(flags::FRESH) {
            series.begin_block();
        }
        let stage = |row: &&SampleRow| {
            let name = row.stage.strip_prefix(&prefix).unwrap_or(&row.stage);
            let known = known.iter().find(|stage| stage.name == name);
            StageTiming {
                name: name.to_owned().into(),
                seconds: row.seconds,
                calls: known.map_or(0, |stage| stage.calls),
                bytes: known.map_or(0, |stage| stage.bytes),
                start_s: None,
            }
        };
        series.push(Sample {
            seconds: row.seconds,
            cpu_seconds: row.cpu_s,
            run_delay_seconds: row.run_delay_s,
            stages: (!parts.is_empty()).then(|| parts.iter().map(stage).collect()),
            migrated: has(flags::MIGRATED),
            within_cpu_set: !has(flags::OUTSIDE_CPU_SET),
            disturbed: has(flags::DISTURBED),
            slow_clock: has(flags::SLOW_CLOCK),
            launches_in_stages: has(flags::LATE_LAUNCHES),
            ..Sample::default()
        });
    }
    series
}
