//! One input: each candidate is checked on it once, and the right ones are sampled
//! in visits.

use std::time::{Duration, Instant};

use algorithms::device::Device;
use algorithms::device::gpu::DeviceError;
use algorithms::task::Case;
use reports::record::{Effort, SampleRow, SummaryRow};

use super::checking::{CheckError, Ending, Refusal, check, check_candidate, run_candidate};
use super::gpu::on_gpu::Care;
use super::recorder::{Recorder, VisitRecorder};
use super::rounds::{self, At, Sampler, Series, Taken, Visitor};
use super::rows::{FAILED, Subject};
use super::series::series_of;
use super::workplace::Workplace;
use super::{CandidateSampler, Policy, Sample, StopReason};
use crate::duet::protocol::VisitOrder;
use crate::failure::Failure;
use crate::plan::{CandidateSpec, Input, Plan};

/// An input that is being measured.
pub(super) struct InputState<'p> {
    pub(super) input: &'p Input,
    plan: &'p Plan,
    workplace: &'p Workplace,
    /// A known slowdown of all samples, as a fraction.
    slowdown: f64,
    seed: u64,
    /// The data, once they are made.
    case: Option<&'p dyn Case>,
    /// The candidates that are right, ready to be sampled: what one has found out
    /// before its first sample stays.
    samplers: Vec<Option<CandidateSampler<'p>>>,
    subjects: Vec<Subject>,
    series: Vec<Series<Sample>>,
    phases: Vec<Phase>,
    next_round: usize,
    pub(super) effort: Effort,
}

/// How far a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its output was not checked yet.
    Unchecked,
    /// Its output is right: it is sampled.
    Right,
    /// It has its row in the summary, or gets none.
    Finished(Ending),
}

impl<'p> InputState<'p> {
    pub(super) fn new(
        workplace: &'p Workplace,
        plan: &'p Plan,
        input: &'p Input,
        seed: u64,
    ) -> Self {
        let subject = |spec: &CandidateSpec| workplace.subject(plan, spec, plan.point(input, spec));
        let candidates = input.candidates.len();
        InputState {
            subjects: input.candidates.iter().map(subject).collect(),
            series: (0..candidates).map(|_| Series::default()).collect(),
            phases: vec![Phase::Unchecked; candidates],
            next_round: 0,
            effort: Effort::default(),
            case: None,
            samplers: (0..candidates).map(|_| None).collect(),
            slowdown: 0.0,
            input,
            plan,
            workplace,
            seed,
        }
    }

    /// Makes all samples slower than they are.
    pub(super) fn slowed_by(mut self, slowdown: f64) -> Self {
        self.slowdown = slowdown;
        self
    }

    /// How the candidates ended that did.
    pub(super) fn endings(&self) -> impl Iterator<Item = Ending> {
        self.phases.iter().filter_map(|phase| match phase {
            Phase::Finished(ending) => Some(*ending),
            _ => None,
        })
    }

    /// Whether all candidates have what they need.
    pub(super) fn is_finished(&self) -> bool {
        self.endings().count() == self.phases.len()
    }

    /// The candidates that are sampled.
    pub(super) fn sampled(&self) -> impl Iterator<Item = usize> {
        let right = |&number: &usize| self.phases[number] == Phase::Right;
        (0..self.phases.len()).filter(right)
    }

    /// Takes the data, and how long it took to make them.
    pub(super) fn hold(&mut self, case: &'p dyn Case, took: Duration) {
        self.effort.generating_s += took.as_secs_f64();
        self.case = Some(case);
    }

    /// The data, once they are made.
    pub(super) fn case(&self) -> Option<&'p dyn Case> {
        self.case
    }

    /// That of a candidate's machine code.
    pub(super) fn fingerprint(&self, number: usize) -> String {
        self.subjects[number].fingerprint().to_owned()
    }

    /// Checks a candidate on the input that is held, and keeps it ready; returns its rows
    /// if it is not right.
    pub(super) fn ready(&mut self, number: usize) -> Vec<SummaryRow> {
        let Some(case) = self.case else {
            return Vec::new();
        };
        let note = self.settle(number, case);
        let row = note.map(|note| self.subjects[number].invalid_row(&note));
        row.into_iter().collect()
    }

    /// Checks a candidate; returns what its row says if it is not to be sampled.
    fn settle(&mut self, number: usize, case: &'p dyn Case) -> Option<String> {
        let (phase, note) = match self.check(number, case) {
            Ok(()) => (Phase::Right, None),
            Err(Refusal { ending, note }) => (Phase::Finished(ending), Some(note)),
        };
        self.phases[number] = phase;
        note
    }

    /// Takes so many samples of a candidate, in fresh buffers or those it has; returns their rows, and
    /// those of the candidate if it failed.
    pub(super) fn visit_one(
        &mut self,
        number: usize,
        order: &VisitOrder,
    ) -> (Vec<SampleRow>, Vec<SummaryRow>) {
        let mut rows = Vec::new();
        let (Some(case), Some(mut sampler)) = (self.case, self.samplers[number].take()) else {
            return (rows, Vec::new());
        };
        if !order.keep && self.is_on_host() {
            case.drop_buffers();
        }
        sampler.begin_visit(order.slowdown);
        let taken = self.sample_one(number, order, &mut sampler, &mut rows);
        let failed = taken
            .err()
            .map(|error| self.subjects[number].invalid_row(&format!("{FAILED}{error}")));
        if failed.is_none() {
            self.samplers[number] = Some(sampler);
        }
        (rows, failed.into_iter().collect())
    }

    fn sample_one(
        &mut self,
        number: usize,
        order: &VisitOrder,
        sampler: &mut CandidateSampler<'_>,
        rows: &mut Vec<SampleRow>,
    ) -> Result<(), DeviceError> {
        if order.warm_up {
            sampler.sample()?;
        }
        let series = &mut self.series[number];
        series.visits.push(series.seconds.len());
        for sample in 0..order.samples {
            let at = At {
                candidate: number,
                round: order.round,
                number: series.samples.len(),
                fresh: sample == 0,
            };
            let sample = sampler.sample()?;
            rows.extend(self.subjects[number].sample_rows(at, &sample));
            if sample.counts() {
                series.seconds.push(sample.seconds());
            }
            series.samples.push(sample);
        }
        Ok(())
    }

    /// The rows of all samples of a candidate, whichever process took them.
    pub(super) fn summary(
        &self,
        number: usize,
        stopped_by: &str,
        samples: &[SampleRow],
    ) -> Vec<SummaryRow> {
        let series = series_of(samples, &self.series[number]);
        self.subjects[number].summary_rows(stopped_by, &series)
    }

    /// Checks every candidate on the input, as long as there is time.
    ///
    /// # Errors
    /// If rows can't be written.
    pub(super) fn check_all(
        &mut self,
        case: &'p dyn Case,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), Failure> {
        let mut longest = Duration::ZERO;
        for number in 0..self.phases.len() {
            if recorder.ends_before(longest) {
                break;
            }
            let start = Instant::now();
            let note = self.settle(number, case);
            longest = longest.max(start.elapsed());
            if let Some(note) = note {
                recorder.refused(&self.subjects[number], &note)?;
            }
        }
        Ok(())
    }

    /// Runs a candidate once, takes down what that tells of it, and keeps it ready.
    fn check(&mut self, number: usize, case: &'p dyn Case) -> Result<(), Refusal> {
        let spec = &self.input.candidates[number];
        let place = self.workplace.place(self.plan, spec);
        let place = place.map_err(Refusal::unavailable)?;
        let subject = &mut self.subjects[number];
        subject.describe(case.work(), self.workplace.ceilings(self.plan, spec));
        let candidate = case.prepare(spec.variant, &place);
        let mut candidate = candidate.map_err(Refusal::unavailable)?;
        let start = Instant::now();
        let is_known = self.workplace.is_known;
        if !is_known {
            candidate.find_reference();
        }
        let referred = Instant::now();
        self.effort.reference_s += (referred - start).as_secs_f64();
        let run = if is_known {
            run_candidate
        } else {
            check_candidate
        };
        let checked = check(candidate.as_mut(), &place, subject, run);
        let is_careful = self.workplace.care == Care::Full && !is_known;
        let figures = checked.and_then(|()| match is_careful {
            true => Ok(candidate.figures()?),
            false => Ok(Vec::new()),
        });
        self.effort.checking_s += referred.elapsed().as_secs_f64();
        subject.quality.extend(figures?);
        let sampler = self.workplace.sampler(candidate, self.plan, spec, place);
        self.samplers[number] = Some(sampler);
        Ok(())
    }

    /// Takes samples of all candidates that need more, in fresh buffers; returns
    /// whether there was time for any.
    ///
    /// # Errors
    /// If samples can't be written.
    pub(super) fn visit(
        &mut self,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<bool, Failure> {
        let Some(case) = self.case else {
            return Ok(false);
        };
        let before = self.samples_taken();
        if self.is_on_host() {
            case.drop_buffers();
        }
        self.take_energy(policy, recorder)?;
        let slowdown = self.slowdown;
        let both = self.samplers.iter_mut().zip(&mut self.series).enumerate();
        let visitors = both.filter_map(|(number, (sampler, series))| {
            let sampler = sampler.as_mut()?;
            sampler.begin_visit(slowdown);
            Some(Visitor::new(number, sampler, series))
        });
        let mut observer = VisitRecorder {
            recorder,
            subjects: &self.subjects,
        };
        let from = (self.next_round, self.seed);
        self.next_round = rounds::visit(visitors.collect(), policy, from, &mut observer)?;
        let taken = self.samples_taken() > before;
        self.conclude(policy, recorder)?;
        Ok(taken)
    }

    /// The energy of runs, where it can be told: once a candidate.
    fn take_energy(&mut self, policy: &Policy, recorder: &mut Recorder<'_>) -> Result<(), Failure> {
        let start = Instant::now();
        for number in 0..self.phases.len() {
            let Some(sampler) = &mut self.samplers[number] else {
                continue;
            };
            if !self.series[number].visits.is_empty() {
                continue;
            }
            match sampler.energy(policy.max_time) {
                Ok(joules) => self.subjects[number].energy_j = joules,
                Err(error) => {
                    let Refusal { ending, note } = Refusal::from(CheckError::from(error));
                    recorder.refused(&self.subjects[number], &note)?;
                    self.end(number, ending);
                }
            }
        }
        self.effort.checking_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Where buffers lie matters to caches of CPUs. What GPUs need of the host's memory is
    /// page-locked, which takes long to get.
    fn is_on_host(&self) -> bool {
        let mut specs = self.input.candidates.iter();
        specs.any(|spec| spec.device == Device::Cpu)
    }

    fn samples_taken(&self) -> usize {
        self.series.iter().map(|series| series.samples.len()).sum()
    }

    /// Closes the candidates that have enough samples, or get no more.
    ///
    /// # Errors
    /// If their rows can't be written.
    fn conclude(&mut self, policy: &Policy, recorder: &mut Recorder<'_>) -> Result<(), Failure> {
        for number in 0..self.phases.len() {
            let series = &self.series[number];
            if self.phases[number] != Phase::Right {
                continue;
            }
            if let Some(failure) = &series.failure {
                let note = format!("{FAILED}{failure}");
                recorder.refused(&self.subjects[number], &note)?;
                self.end(number, Ending::Wrong);
            } else if let Some(reason) = policy.stops(series) {
                recorder.finished(&self.subjects[number], reason, series)?;
                self.end(number, Ending::Measured);
            }
        }
        Ok(())
    }

    /// Closes all candidates: there is no more time, or the user asked for an end.
    ///
    /// # Errors
    /// If their rows can't be written.
    pub(super) fn close(&mut self, recorder: &mut Recorder<'_>) -> Result<(), Failure> {
        let interrupted = recorder.interrupt.asked();
        let reason = match interrupted {
            true => StopReason::Interrupt,
            false => StopReason::Time,
        };
        for number in 0..self.phases.len() {
            if matches!(self.phases[number], Phase::Finished(_)) {
                continue;
            }
            let (subject, series) = (&self.subjects[number], &self.series[number]);
            let has_row =
                !series.samples.is_empty() || (interrupted && self.phases[number] == Phase::Right);
            if has_row {
                recorder.finished(subject, reason, series)?;
                self.end(number, Ending::Measured);
            } else {
                recorder.left_out(subject);
                self.end(number, Ending::LeftOut);
            }
        }
        Ok(())
    }

    fn end(&mut self, number: usize, ending: Ending) {
        let series = &self.series[number];
        self.effort.warming_s += series.warming.as_secs_f64();
        let sampling = series.spent.saturating_sub(series.warming);
        self.effort.sampling_s += sampling.as_secs_f64();
        self.phases[number] = Phase::Finished(ending);
        self.samplers[number] = None;
    }
}
