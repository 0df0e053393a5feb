//! Writes results to files and reports progress on the terminal.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use reports::record::{Point, RunRecord, SampleRow, SummaryRow, YesNo};
use reports::store::{RunFolder, StoreError};
use reports::units;

use super::checking::CandidateOutcome;
use super::deadline::Deadline;
use super::rounds::{Observer, SampleIndex};
use super::rows::RowBuilder;
use super::run_energy::NoEnergy;
use super::sampler::Sample;
use super::stopping::{Series, StopReason};
use crate::platform::{Interrupt, plugin_guard};
use crate::progress::Progress;

/// Rows of all inputs.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) samples: Vec<SampleRow>,
    pub(super) summary: Vec<SummaryRow>,
    /// Points without a sample because time ran out.
    pub(super) left_out: Vec<Point>,
    /// Reasons why energies or counters of kernels are unknown, each once.
    pub(super) notes: BTreeSet<String>,
}

/// Outputs of a session: files, rows and progress.
pub(super) struct Recorder<'a> {
    pub(super) folder: &'a mut RunFolder,
    pub(super) record: &'a mut RunRecord,
    pub(super) rows: &'a mut Rows,
    pub(super) progress: &'a mut Progress,
    pub(super) interrupt: &'a Interrupt,
    pub(super) deadline: Deadline,
    /// Start of the run.
    pub(super) origin: Instant,
}

impl Recorder<'_> {
    /// Returns true if the run should stop now because work of this duration would not finish in
    /// time.
    pub(super) fn ends_before(&self, next: Duration) -> bool {
        self.interrupt.asked() || !self.deadline.allows(next)
    }

    /// Records a candidate that is not timed.
    pub(super) fn refused(&mut self, subject: &RowBuilder, note: &str) -> Result<(), StoreError> {
        self.progress.finished(&subject.point, Duration::ZERO, note);
        self.summarise(vec![subject.invalid_row(note)])
    }

    /// Writes `run.json`. A plugin may have changed the working directory, to which the path of the
    /// folder is relative.
    pub(super) fn describe(&mut self) -> Result<(), StoreError> {
        plugin_guard::return_home();
        self.folder.describe(self.record)
    }

    /// Records the quality of a candidate whose output is right. The file is opened by its path.
    pub(super) fn checked(&mut self, subject: &RowBuilder) -> Result<(), StoreError> {
        plugin_guard::return_home();
        self.folder.append_quality(&subject.quality_rows())
    }

    /// Notes a reason why energies are unknown, once for each device.
    pub(super) fn no_energy(&mut self, subject: &RowBuilder, reason: &NoEnergy) {
        if *reason != NoEnergy::NoMeter {
            let device = &subject.point.device;
            self.rows.notes.insert(format!("energy is not available on {device}: {reason}"));
        }
    }

    /// Records a candidate that has enough samples. Returns false if none of its samples counts.
    pub(super) fn finished(
        &mut self,
        subject: &RowBuilder,
        reason: StopReason,
        series: &Series<Sample>,
    ) -> Result<CandidateOutcome, StoreError> {
        let rows = subject.summary_rows(&reason.to_string(), series);
        let result = match rows[0].median_s {
            None => rows[0].note.clone(),
            Some(median) => {
                let taken = units::counted(series.samples.len(), "sample");
                format!("{} ({taken}, stopped by {reason})", units::seconds(median, 3))
            }
        };
        let progress = &mut self.progress;
        progress.finished(&subject.point, series.spent, &result);
        let outcome = match rows[0].valid {
            YesNo::Yes => CandidateOutcome::Measured,
            YesNo::No => CandidateOutcome::Unavailable,
        };
        self.summarise(rows)?;
        Ok(outcome)
    }

    fn summarise(&mut self, rows: Vec<SummaryRow>) -> Result<(), StoreError> {
        self.folder.append_summary(&rows)?;
        self.rows.summary.extend(rows);
        Ok(())
    }
}

/// Records the samples of a block.
pub(super) struct BlockRecorder<'r, 'a, 's> {
    pub(super) recorder: &'r mut Recorder<'a>,
    /// Subjects by candidate index.
    pub(super) subjects: Vec<&'s RowBuilder>,
}

impl Observer<Sample> for BlockRecorder<'_, '_, '_> {
    type Error = StoreError;

    fn sampled(&mut self, at: SampleIndex, sample: &Sample) -> Result<(), StoreError> {
        let rows = self.subjects[at.candidate].sample_rows(at, sample, self.recorder.origin);
        self.recorder.folder.append_samples(&rows)?;
        self.recorder.rows.samples.extend(rows);
        self.recorder.progress.sampled(sample.spent);
        Ok(())
    }

    fn ends_before(&self, next: Duration) -> bool {
        self.recorder.ends_before(next)
    }
}
