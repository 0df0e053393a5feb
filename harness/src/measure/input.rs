//! One input: each candidate is checked on it, and the right ones are sampled.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use algorithms::device::Place;
use algorithms::task::{Candidate, Case};
use reports::record::{SampleRow, SummaryRow};
use reports::store::{RunFolder, StoreError};

use super::clock::UsualClock;
use super::rows::Subject;
use super::session::{Outcome, Session};
use super::{CandidateSampler, Observer, Sample, StopReason, interleave};
use crate::cli::CacheMode;
use crate::plan::CandidateSpec;
use crate::platform::{Interrupt, peak_allocation};
use crate::progress::Progress;

/// What the rows of all inputs are gathered in.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) samples: Vec<SampleRow>,
    pub(super) summary: Vec<SummaryRow>,
}

/// Checks and samples all candidates on one input.
pub(super) fn measure_input(
    session: &Session<'_>,
    case: &dyn Case,
    recorder: &mut Recorder<'_>,
    outcome: &mut Outcome,
) -> Result<(), StoreError> {
    let mut subjects = Vec::new();
    let mut samplers = Vec::new();
    for spec in &session.plan.candidates {
        if recorder.interrupt.asked() {
            break;
        }
        let mut subject = session.subject(spec, case);
        match ready(session, case, spec, &mut subject) {
            Ok(sampler) => {
                samplers.push(sampler);
                subjects.push(subject);
            }
            Err(refusal) => {
                outcome.count(&refusal);
                recorder.refused(&subject, &refusal)?;
            }
        }
    }
    outcome.measured += samplers.len();
    recorder.subjects = subjects;
    let seed = session.request.seed;
    interleave(&mut samplers, &session.policy(), seed, recorder)
}

/// Why a candidate is not timed.
pub(super) enum Refusal {
    /// It can't run here, or not on such an input.
    Unavailable(String),
    /// Its output was wrong.
    Wrong(String),
}

/// A candidate that was found right, ready to be sampled.
fn ready<'a>(
    session: &'a Session<'_>,
    case: &'a dyn Case,
    spec: &CandidateSpec,
    subject: &mut Subject,
) -> Result<CandidateSampler<'a>, Refusal> {
    let team = session.team(spec.team);
    let place = Place {
        device: spec.device,
        team: &team.team,
    };
    let mut candidate = case
        .prepare(spec.variant, &place)
        .map_err(|reason| Refusal::Unavailable(reason.to_string()))?;
    let allocated = check_candidate(candidate.as_mut(), &place).map_err(Refusal::Wrong)?;
    subject.memory_bytes = candidate.buffer_bytes() + allocated;
    let team_spec = &session.plan.teams[spec.team];
    let sampler = CandidateSampler::new(candidate, &team.team).in_places(team_spec);
    Ok(match (spec.cache, &team.flush) {
        (CacheMode::Cold, Some(flush)) => sampler.flushing(flush),
        _ => sampler,
    })
}

/// Runs a candidate once and checks its output; returns the most bytes that it
/// allocated while running. A candidate that panics is wrong.
///
/// # Errors
/// What is wrong, in words.
pub fn check_candidate(candidate: &mut dyn Candidate, place: &Place<'_>) -> Result<u64, String> {
    let run = AssertUnwindSafe(|| {
        place.team.run(|| {
            candidate.reset();
            candidate.poison();
        });
        let (_, allocated) = peak_allocation(|| place.team.run(|| candidate.run()));
        let checked = candidate.check().map_err(|mismatch| mismatch.to_string());
        candidate.release();
        checked.map(|()| allocated)
    });
    catch_unwind(run).unwrap_or_else(|panic| Err(format!("panicked: {}", message(&*panic))))
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref().copied())
        .unwrap_or("without a message")
}

/// Takes down what is measured, in files and on the terminal.
pub(super) struct Recorder<'a> {
    pub(super) folder: &'a mut RunFolder,
    pub(super) rows: &'a mut Rows,
    pub(super) progress: &'a mut Progress,
    pub(super) interrupt: &'a Interrupt,
    /// The usual clock of each number of threads: they differ.
    pub(super) clocks: &'a mut BTreeMap<usize, UsualClock>,
    /// The candidates that are being sampled.
    pub(super) subjects: Vec<Subject>,
    /// How many samples of each were taken at a low clock.
    pub(super) slow_clocks: Vec<usize>,
}

impl Recorder<'_> {
    fn refused(&mut self, subject: &Subject, refusal: &Refusal) -> Result<(), StoreError> {
        let note = match refusal {
            Refusal::Unavailable(reason) => format!("not run: {reason}"),
            Refusal::Wrong(mismatch) => format!("wrong output: {mismatch}"),
        };
        self.progress
            .finished(&subject.point.variant, subject.point.threads, &note);
        self.summarise(vec![subject.invalid_row(&note)])
    }

    fn summarise(&mut self, rows: Vec<SummaryRow>) -> Result<(), StoreError> {
        self.folder.append_summary(&rows)?;
        self.rows.summary.extend(rows);
        Ok(())
    }
}

impl<'c> Observer<CandidateSampler<'c>> for Recorder<'_> {
    type Error = StoreError;

    fn sampled(
        &mut self,
        candidate: usize,
        round: usize,
        number: usize,
        sample: &Sample,
    ) -> Result<(), StoreError> {
        let threads = self.subjects[candidate].point.threads;
        let clock = self.clocks.entry(threads).or_default();
        let slow_clock = sample.clock_mhz.is_some_and(|mhz| clock.is_slow(mhz));
        self.slow_clocks.resize(self.subjects.len(), 0);
        self.slow_clocks[candidate] += usize::from(slow_clock);
        let rows = self.subjects[candidate].sample_rows(round, number, sample, slow_clock);
        self.folder.append_samples(&rows)?;
        self.rows.samples.extend(rows);
        self.progress.sampled(sample.spent);
        Ok(())
    }

    fn finished(
        &mut self,
        candidate: usize,
        reason: StopReason,
        samples: &[Sample],
    ) -> Result<(), StoreError> {
        let subject = &self.subjects[candidate];
        let slow_clocks = self.slow_clocks.get(candidate).copied().unwrap_or(0);
        let rows = subject.summary_rows(reason, samples, slow_clocks);
        let (variant, threads) = (subject.point.variant.clone(), subject.point.threads);
        let result = rows[0].median_s.map_or_else(
            || rows[0].note.clone(),
            |median| {
                let median = reports::units::seconds(median, 3);
                format!("{median} ({} samples, stopped by {reason})", samples.len())
            },
        );
        self.progress.finished(&variant, threads, &result);
        self.summarise(rows)
    }

    fn interrupted(&self) -> bool {
        self.interrupt.asked()
    }
}
