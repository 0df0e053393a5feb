//! One input: each candidate is checked on it once, and correct ones are sampled in blocks.

use std::time::{Duration, Instant};

use reports::record::{Effort, FAILED};
use reports::store::StoreError;
use tasks::device::Device;
use tasks::task::Case;

use super::checking::{
    CandidateOutcome, CheckError, SkipReason, check, check_candidate, run_candidate,
};
use super::gpu::sampled_gpu::GpuMode;
use super::recorder::{BlockRecorder, Recorder};
use super::resources::Resources;
use super::rounds::{self, BlockCandidate};
use super::rows::RowBuilder;
use super::sampler::{CandidateSampler, Sample};
use super::stopping::{Policy, Series, StopReason};
use crate::plan::{CandidateSpec, Input, Plan};
use crate::platform::plugin_guard;

/// An input that is being measured.
pub(crate) struct InputState<'p> {
    pub(super) input: &'p Input,
    plan: &'p Plan,
    resources: &'p Resources,
    /// Known slowdown of all samples, as a fraction.
    pub(super) slowdown: f64,
    seed: u64,
    /// The data, once generated.
    pub(super) case: Option<&'p dyn Case>,
    pub(super) candidates: Vec<CandidateState<'p>>,
    next_round: usize,
    pub(crate) effort: Effort,
}

/// A candidate on the input.
pub(super) struct CandidateState<'p> {
    pub(super) subject: RowBuilder,
    pub(super) series: Series<Sample>,
    pub(super) phase: Phase,
    /// Ready while it is sampled; state from before its first sample persists.
    pub(super) sampler: Option<CandidateSampler<'p>>,
}

/// Progress of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Its output is not checked yet.
    Unchecked,
    /// Its output is correct; it is being sampled.
    Checked,
    /// It has its row in the summary, or gets none.
    Finished(CandidateOutcome),
}

impl<'p> InputState<'p> {
    pub(crate) fn new(
        resources: &'p Resources,
        plan: &'p Plan,
        input: &'p Input,
        seed: u64,
    ) -> Self {
        let candidate = |spec: &CandidateSpec| CandidateState {
            subject: resources.subject(plan, spec, plan.point(input, spec)),
            series: Series::default(),
            phase: Phase::Unchecked,
            sampler: None,
        };
        InputState {
            candidates: input.candidates.iter().map(candidate).collect(),
            next_round: 0,
            effort: Effort::default(),
            case: None,
            slowdown: 0.0,
            input,
            plan,
            resources,
            seed,
        }
    }

    /// Outcomes of finished candidates.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = CandidateOutcome> {
        let phases = self.candidates.iter().map(|candidate| candidate.phase);
        phases.filter_map(|phase| match phase {
            Phase::Finished(outcome) => Some(outcome),
            _ => None,
        })
    }

    /// True if all candidates are finished.
    pub(super) fn is_finished(&self) -> bool {
        self.outcomes().count() == self.candidates.len()
    }

    /// Number of candidates that are being sampled.
    pub(super) fn sampled(&self) -> usize {
        let phases = self.candidates.iter().map(|candidate| candidate.phase);
        phases.filter(|phase| *phase == Phase::Checked).count()
    }

    /// Sets the data and the time taken to generate them.
    pub(crate) fn set_case(&mut self, case: &'p dyn Case, took: Duration) {
        self.effort.generating_s += took.as_secs_f64();
        self.case = Some(case);
    }

    /// Checks every candidate on the input, while there is time.
    pub(super) fn check_all(
        &mut self,
        case: &'p dyn Case,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), StoreError> {
        let mut longest = Duration::ZERO;
        for index in 0..self.candidates.len() {
            if recorder.ends_before(longest) {
                break;
            }
            let start = Instant::now();
            let note = self.settle(index, case);
            longest = longest.max(start.elapsed());
            let subject = &self.candidates[index].subject;
            match note {
                Some(note) => recorder.refused(subject, &note)?,
                None => recorder.checked(subject)?,
            }
        }
        Ok(())
    }

    /// Checks a candidate; returns the note for its row if it is not to be sampled.
    pub(super) fn settle(&mut self, index: usize, case: &'p dyn Case) -> Option<String> {
        let (phase, note) = match self.check(index, case) {
            Ok(()) => (Phase::Checked, None),
            Err(SkipReason { outcome, note }) => (Phase::Finished(outcome), Some(note)),
        };
        self.candidates[index].phase = phase;
        note
    }

    /// Runs a candidate once, records its resource use, and keeps it ready.
    fn check(&mut self, index: usize, case: &'p dyn Case) -> Result<(), SkipReason> {
        let resources = self.resources;
        let plan = self.plan;
        let spec = &self.input.candidates[index];
        let target = resources.target(plan, spec).map_err(SkipReason::unavailable)?;
        let CandidateState { subject, sampler, .. } = &mut self.candidates[index];
        subject.work = case.work();
        let candidate = case.prepare(spec.variant, &target);
        let mut candidate = candidate.map_err(SkipReason::unavailable)?;
        let start = Instant::now();
        if !resources.is_known {
            candidate.find_reference();
        }
        let referred = Instant::now();
        self.effort.reference_s += (referred - start).as_secs_f64();
        let run = if resources.is_known { run_candidate } else { check_candidate };
        let checked = check(candidate.as_mut(), &target, subject, run);
        let has_figures = resources.mode != GpuMode::Profile && !resources.is_known;
        let figures = checked.and_then(|()| {
            let figures = has_figures.then(|| candidate.figures()).transpose()?;
            Ok(figures.unwrap_or_default())
        });
        self.effort.checking_s += referred.elapsed().as_secs_f64();
        subject.figures = figures?;
        *sampler = Some(resources.sampler(candidate, plan, spec, target));
        Ok(())
    }

    /// Takes samples of all candidates that need more, in fresh buffers; returns true if there was
    /// time for any. The caller calls [`InputState::conclude`] afterwards.
    pub(super) fn sample_block(
        &mut self,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<bool, StoreError> {
        let Some(case) = self.case else {
            return Ok(false);
        };
        let before = self.samples_taken();
        if self.is_on_host() {
            case.drop_buffers();
        }
        self.take_energy(policy, recorder)?;
        self.count_kernels(recorder);
        let mut subjects = Vec::new();
        let mut in_block = Vec::new();
        for (index, candidate) in self.candidates.iter_mut().enumerate() {
            let CandidateState { subject, series, sampler, .. } = candidate;
            subjects.push(&*subject);
            if let Some(sampler) = sampler {
                sampler.slowdown = self.slowdown;
                in_block.push(BlockCandidate::new(index, sampler, series));
            }
        }
        let mut observer = BlockRecorder { recorder, subjects };
        self.next_round =
            rounds::sample_block(in_block, policy, self.next_round, self.seed, &mut observer)?;
        Ok(self.samples_taken() > before)
    }

    /// Measures the energy of runs, if available: once per candidate.
    fn take_energy(
        &mut self,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), StoreError> {
        let start = Instant::now();
        for candidate in &mut self.candidates {
            let is_first = candidate.series.block_offsets.is_empty();
            let Some(sampler) = candidate.sampler.as_mut().filter(|_| is_first) else {
                continue;
            };
            match sampler.energy(policy.max_time) {
                Ok(None) => {}
                Ok(Some(Ok(energy))) => candidate.subject.energy = Some(energy),
                Ok(Some(Err(reason))) => recorder.no_energy(&candidate.subject, &reason),
                Err(error) => {
                    let SkipReason { outcome, note } = SkipReason::from(CheckError::from(error));
                    recorder.refused(&candidate.subject, &note)?;
                    candidate.end(outcome, &mut self.effort);
                }
            }
        }
        self.effort.checking_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Counts a run of each candidate on a GPU, if requested and available: once per candidate.
    fn count_kernels(&mut self, recorder: &mut Recorder<'_>) {
        let Some(profiler) = &self.resources.profiler else { return };
        let start = Instant::now();
        // Folders of counters have relative paths, too.
        plugin_guard::return_home();
        for candidate in &mut self.candidates {
            let subject = &mut candidate.subject;
            let is_first = candidate.series.block_offsets.is_empty();
            let is_counted = is_first && candidate.sampler.is_some() && subject.is_on_cuda();
            if !is_counted || recorder.ends_before(Duration::ZERO) {
                continue;
            }
            let folder = recorder.folder.path().join(format!("counters-{}", subject.point.id()));
            let notes = &mut recorder.rows.notes;
            let note = |note| notes.extend([note]);
            subject.kernel_counters = profiler.count(&subject.point, &folder, note);
        }
        self.effort.checking_s += start.elapsed().as_secs_f64();
    }

    /// Returns true if candidates run on the CPU. Only there the addresses of buffers matter to
    /// caches. Host memory for GPUs is page-locked, which is slow to allocate.
    pub(super) fn is_on_host(&self) -> bool {
        let mut specs = self.input.candidates.iter();
        specs.any(|spec| spec.device == Device::Cpu)
    }

    /// Takes over the bandwidths that are known by now.
    fn update_ceilings(&mut self) {
        let Self { candidates, input, resources, plan, .. } = self;
        for (candidate, spec) in candidates.iter_mut().zip(&input.candidates) {
            candidate.subject.ceilings = resources.ceilings(plan, spec);
        }
    }

    fn samples_taken(&self) -> usize {
        let all = self.candidates.iter();
        all.map(|candidate| candidate.series.samples.len()).sum()
    }

    /// Releases buffers, and memory of devices that is free, for something else than candidates.
    /// These warm up again before their next samples, so that none of them waits for memory.
    pub(super) fn release_memory(&mut self) {
        if let Some(case) = self.case.filter(|_| self.is_on_host()) {
            case.drop_buffers();
        }
        let samplers = self.candidates.iter_mut().filter_map(|it| it.sampler.as_mut());
        samplers.for_each(CandidateSampler::release_memory);
    }

    /// Finishes candidates that have enough samples or get no more.
    pub(super) fn conclude(
        &mut self,
        policy: &Policy,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), StoreError> {
        self.update_ceilings();
        for candidate in &mut self.candidates {
            let subject = &candidate.subject;
            let series = &candidate.series;
            if candidate.phase != Phase::Checked {
                continue;
            }
            if let Some(failure) = &series.failure {
                recorder.refused(subject, &format!("{FAILED}{failure}"))?;
                candidate.end(CandidateOutcome::Wrong, &mut self.effort);
            } else if let Some(reason) = policy.stops(series) {
                let outcome = recorder.finished(subject, reason, series)?;
                candidate.end(outcome, &mut self.effort);
            }
        }
        Ok(())
    }

    /// Finishes all candidates because time ran out or the user interrupted the run.
    pub(super) fn close(&mut self, recorder: &mut Recorder<'_>) -> Result<(), StoreError> {
        self.update_ceilings();
        let interrupted = recorder.interrupt.asked();
        let reason = if interrupted { StopReason::Interrupt } else { StopReason::Time };
        for candidate in &mut self.candidates {
            let subject = &candidate.subject;
            let series = &candidate.series;
            if matches!(candidate.phase, Phase::Finished(_)) {
                continue;
            }
            let is_ready = candidate.phase == Phase::Checked;
            let outcome = if !series.samples.is_empty() || (interrupted && is_ready) {
                recorder.finished(subject, reason, series)?
            } else {
                recorder.rows.left_out.push(subject.point.clone());
                CandidateOutcome::LeftOut
            };
            candidate.end(outcome, &mut self.effort);
        }
        Ok(())
    }
}

impl CandidateState<'_> {
    /// Marks the candidate as finished.
    fn end(&mut self, outcome: CandidateOutcome, effort: &mut Effort) {
        let spent = self.series.spent;
        let warming = self.series.warming;
        effort.warming_s += warming.as_secs_f64();
        effort.sampling_s += spent.saturating_sub(warming).as_secs_f64();
        self.phase = Phase::Finished(outcome);
        self.sampler = None;
    }
}
