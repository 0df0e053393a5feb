//! Sampler of one candidate.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use portable_gpu::DeviceError;
use portable_gpu::monitor::Limit;
use portable_gpu::timing::Stages;
use tasks::device::{Device, Team};
use tasks::task::Candidate;

use super::gpu::kernel_counters::ProfiledRun;
use super::gpu::sampled_gpu::{GpuMode, RunRanges, SampledGpu};
use super::gpu::watch::GpuState;
use super::probe::{self, ClockBaseline, CoreCondition, Reading};
use super::rounds::Sampler;
use super::run_energy::{Consumer, NoEnergy, RunEnergy, energy_per_run};
use super::stopping::Measurement;
use super::teams::CacheFlush;
use crate::energy::EnergyMeters;
use crate::plan::TeamSpec;
use crate::platform::control_groups::CpuQuota;
use crate::platform::counters::{Counting, Counts, Reading as Counted};
use crate::platform::{current_cpu, run_delay, thread_time};

/// Measurements of one sample.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// The time of the run.
    pub seconds: f64,
    /// Start of that time.
    pub start: Option<Instant>,
    /// Time during which the worker of a team of one had a core.
    pub cpu_seconds: Option<f64>,
    /// Time during which that worker waited for a core.
    pub run_delay_seconds: Option<f64>,
    /// Times of its stages, if the variant reports them; on a GPU only for the first samples of a
    /// block.
    pub stages: Option<Stages>,
    /// Start of the run that reported the stages: on a GPU another one.
    pub staged_start: Option<Instant>,
    /// Time of the profiled GPU run that reported the stages, with an event after each copy and
    /// kernel.
    pub profiled_seconds: Option<f64>,
    /// CPU of each worker before the run.
    pub cpus: Vec<Option<usize>>,
    /// True if a worker was on another CPU after the run.
    pub migrated: bool,
    /// True if all workers were on their assigned CPUs. Otherwise the sample is kept but does not
    /// count.
    pub within_cpu_set: bool,
    /// True if another program used a core just before or after the run.
    pub disturbed: bool,
    /// True if the quota of CPU time was exhausted during the run, so that threads were stopped.
    pub quota_throttled: bool,
    /// True if a core, or the GPU, was far below its usual clock.
    pub slow_clock: bool,
    /// Lowest clock of the workers just before the run, or clock of the GPU, if available.
    pub clock_mhz: Option<f64>,
    /// Reasons for throttling of the GPU.
    pub limits: Vec<Limit>,
    /// True if the stages of a GPU include the host's launch overhead.
    pub launches_in_stages: bool,
    /// Hardware counters during the run, if requested.
    pub counters: Option<Counts>,
    /// Total time spent on the sample, including preparation.
    pub spent: Duration,
}

/// A candidate with its team, and preparation and monitoring of its samples.
pub struct CandidateSampler<'a> {
    candidate: Box<dyn Candidate + 'a>,
    team: &'a Team,
    /// Empties the caches before each sample.
    pub(super) flush: Option<&'a CacheFlush>,
    /// Specifies the CPUs of the workers.
    pub(super) spec: Option<&'a TeamSpec>,
    /// Usual probe results, with which probes are compared.
    pub(super) baseline: Option<&'a Mutex<ClockBaseline>>,
    /// Quota of CPU time, if there is one.
    pub(super) quota: Option<&'a CpuQuota>,
    /// The GPU, with its own monitoring.
    pub(super) sampled_gpu: Option<SampledGpu<'a>>,
    /// Hardware counters during runs.
    pub(super) counting: Option<&'a dyn Counting>,
    /// Meters of energy, if it is to be measured.
    pub(super) metered: Option<MeteredDevice<'a>>,
    /// Fraction by which each run is slowed down; used by self-tests.
    pub(super) slowdown: f64,
    /// True if free memory of its GPU was released since its last run, which allocated it.
    needs_warm_up: bool,
    /// Runs so far, including warm-up.
    runs: usize,
    /// Runs that were repeated for their stages.
    staged: usize,
}

/// Number of runs on a GPU that are repeated for their stages at first: the warm-up and the first
/// samples.
const FIRST_STAGED: usize = 3;
/// Stride of the later runs that are repeated: stages are stable, and each repetition costs as much
/// as a sample. Five blocks yield six, the minimum for an interval.
const STAGED_EVERY: usize = 5;

/// Index of the run that a profiler records which waits for a range: the first one after warm-up.
const PROFILED: usize = 1;

/// A device with the meters of its energy.
#[derive(Clone, Copy)]
pub(super) struct MeteredDevice<'a> {
    pub(super) meters: &'a EnergyMeters,
    pub(super) device: Device,
}

/// Measurements of a timed run.
struct RunTimes {
    start: Instant,
    seconds: f64,
    /// Time on a core, for a team of one.
    cpu_seconds: Option<f64>,
    /// Time waiting for a core, for a team of one.
    run_delay_seconds: Option<f64>,
    counters: Option<Counts>,
}

/// Stages of a run, its start, and its time if it was repeated for them.
#[derive(Default)]
struct StageTimes {
    stages: Option<Stages>,
    start: Option<Instant>,
    seconds: Option<f64>,
}

/// State of a worker's core before or after a run.
struct CoreState {
    cpu: Option<usize>,
    reading: Option<Reading>,
}

impl<'a> CandidateSampler<'a> {
    /// Creates a sampler that measures only times, and leaves the caches as they are.
    pub fn new(candidate: Box<dyn Candidate + 'a>, team: &'a Team) -> Self {
        CandidateSampler {
            candidate,
            team,
            flush: None,
            spec: None,
            baseline: None,
            quota: None,
            sampled_gpu: None,
            counting: None,
            metered: None,
            slowdown: 0.0,
            needs_warm_up: false,
            runs: 0,
            staged: 0,
        }
    }

    /// Releases memory of its GPU that is free.
    pub(super) fn release_memory(&mut self) {
        if let Some(sampled_gpu) = &self.sampled_gpu {
            sampled_gpu.gpu.trim();
            self.needs_warm_up = true;
        }
    }

    fn all_within_cpu_set(&self, cores: &[CoreState]) -> bool {
        self.spec.is_none_or(|spec| {
            let mut workers = cores.iter().enumerate();
            workers.all(|(worker, core)| spec.allows(worker, core.cpu))
        })
    }

    /// Prepares a run: fresh input, empty caches if they are to be cold, and a busy GPU.
    fn get_ready(&mut self) -> Result<(), DeviceError> {
        self.reset()?;
        if let Some(flush) = self.flush {
            flush.flush(self.team);
        }
        if let Some(sampled_gpu) = &self.sampled_gpu {
            sampled_gpu.warm_up()?;
        }
        self.empty_gpu_cache()
    }

    /// Prepares fresh input on the team, so that it is in its caches and memory.
    fn reset(&mut self) -> Result<(), DeviceError> {
        let candidate = &mut self.candidate;
        self.team.run(|| candidate.reset())
    }

    /// Empties the cache of the GPU if caches are to be cold.
    fn empty_gpu_cache(&self) -> Result<(), DeviceError> {
        match &self.sampled_gpu {
            Some(sampled_gpu) if self.flush.is_some() => sampled_gpu.empty_cache(),
            _ => Ok(()),
        }
    }

    /// Returns true if the last run on a GPU is to be repeated for its stages.
    fn is_staged(&self, mode: GpuMode) -> bool {
        let samples_before = self.runs.saturating_sub(2);
        match mode {
            GpuMode::Measure => self.staged < FIRST_STAGED + samples_before / STAGED_EVERY,
            GpuMode::MeasureKernels => true,
            GpuMode::Profile => false,
        }
    }

    /// Stages of the run that was timed; on a GPU those of a repeated run with events between
    /// copies and kernels, which the end-to-end time does not include.
    fn stages(&mut self, start: Instant) -> Result<StageTimes, DeviceError> {
        let gpu = match &self.sampled_gpu {
            None => {
                let stages = Some(self.candidate.stages()?);
                return Ok(StageTimes { stages, start: Some(start), seconds: None });
            }
            Some(sampled_gpu) if !self.is_staged(sampled_gpu.mode) => {
                return Ok(StageTimes::default());
            }
            Some(sampled_gpu) => Arc::clone(&sampled_gpu.gpu),
        };
        self.staged += 1;
        self.get_ready()?;
        gpu.start_timeline()?;
        let RunTimes { start, seconds, .. } = self.time()?;
        let stages = Some(self.candidate.stages()?);
        Ok(StageTimes { stages, start: Some(start), seconds: Some(seconds) })
    }

    /// Number of periods so far in which the quota of CPU time was exhausted.
    fn stopped_periods(&self) -> u64 {
        self.quota.map_or(0, CpuQuota::throttled)
    }

    fn look_at_gpu(&self) -> GpuState {
        let sampled_gpu = self.sampled_gpu.as_ref();
        sampled_gpu.map_or_else(GpuState::default, |sampled_gpu| sampled_gpu.watch.look())
    }

    /// Energy of a run; see [`energy_per_run`]. `None` if it is not to be measured.
    pub(super) fn energy(
        &mut self,
        max_time: Duration,
    ) -> Result<Option<Result<RunEnergy, NoEnergy>>, DeviceError> {
        let Some(MeteredDevice { meters, device }) = self.metered else { return Ok(None) };
        meters.start_command();
        let energy = energy_per_run(self, meters, device, max_time);
        meters.stop_command();
        // Programs with times of their own also start and end, which is no part of these. They know
        // their times after a run only.
        let is_measured = matches!(energy, Ok(Ok(_)));
        let has_own_time = is_measured && self.candidate.own_seconds()?.is_some();
        self.candidate.release();
        energy.map(|energy| Some(energy).filter(|_| !has_own_time))
    }

    /// Reads the state of the workers' cores. Cores that wait for a GPU are not probed, because
    /// they do not matter.
    fn look(&self) -> Vec<CoreState> {
        let is_probed = self.sampled_gpu.is_none();
        self.team.run_on_each(|_| CoreState {
            cpu: current_cpu(),
            reading: is_probed.then(probe::read).flatten(),
        })
    }

    /// Times a run. The clock starts on the worker, so that waking it does not count.
    fn time(&mut self) -> Result<RunTimes, DeviceError> {
        let candidate = &mut self.candidate;
        let slowdown = self.slowdown;
        let ranges = self.sampled_gpu.as_ref().and_then(|sampled_gpu| sampled_gpu.ranges.as_ref());
        let counting = self.counting;
        let profiled = self.sampled_gpu.as_ref();
        let profiled = profiled.filter(|it| it.mode == GpuMode::Profile && self.runs == PROFILED);
        // CPU time is read per thread, so that it covers the run only for a team of one.
        let is_all = self.sampled_gpu.is_none() && self.team.threads() == 1;
        self.team.run(|| {
            // A profiler that waits for a range records this run alone.
            let _profiled = profiled.map(|profiled| ProfiledRun::start(&profiled.gpu));
            let delay_start = is_all.then(run_delay).flatten();
            let before = counting.and_then(|counting| counting.read());
            let cpu_start = is_all.then(thread_time).flatten();
            let range = ranges.map(RunRanges::begin);
            let start = Instant::now();
            let ran = candidate.run();
            let mut seconds = start.elapsed().as_secs_f64();
            let mut cpu_seconds = spent_since(cpu_start);
            if slowdown > 0.0 {
                spin(slowdown * cpu_seconds.unwrap_or(seconds));
                seconds = start.elapsed().as_secs_f64();
                cpu_seconds = spent_since(cpu_start);
            }
            drop(range);
            let after = counting.and_then(|counting| counting.read());
            let counted = before.zip(after);
            let delay = delay_start.and_then(|start| run_delay()?.checked_sub(start));
            ran.map(|()| RunTimes {
                start,
                seconds,
                cpu_seconds,
                run_delay_seconds: delay.map(|delay| delay.as_secs_f64()),
                counters: counted.map(|(before, after)| Counted::between(&before, &after)),
            })
        })
    }

    /// Compares the state of the cores before and after a run with the usual one.
    fn judge(&self, before: &[CoreState], after: &[CoreState]) -> CoreCondition {
        let cores = before.iter().chain(after);
        let readings: Vec<_> = cores.filter_map(|core| Some((core.cpu, core.reading?))).collect();
        self.baseline.map_or_else(CoreCondition::default, |baseline| {
            let mut baseline = baseline.lock().unwrap_or_else(PoisonError::into_inner);
            baseline.judge(&readings)
        })
    }

    fn take(&mut self) -> Result<Sample, DeviceError> {
        let start = Instant::now();
        self.needs_warm_up = false;
        self.get_ready()?;
        let stopped_at_first = self.stopped_periods();
        let before = self.look();
        let gpu_before = self.look_at_gpu();
        let stopped_before = self.stopped_periods();
        let timed = self.time()?;
        self.runs += 1;
        let stopped_after = self.stopped_periods();
        let gpu_after = self.look_at_gpu();
        let after = self.look();
        let is_probe_stopped = self.stopped_periods() > stopped_at_first;
        let own_seconds = self.candidate.own_seconds()?;
        let staged = self.stages(timed.start)?;
        self.candidate.release();
        // Times and CPUs of these threads are not those of a program with times of its own.
        let of_thread = own_seconds.is_none();
        let mut sample = Sample {
            seconds: own_seconds.unwrap_or(timed.seconds),
            start: Some(timed.start),
            cpu_seconds: timed.cpu_seconds.filter(|_| of_thread),
            run_delay_seconds: timed.run_delay_seconds.filter(|_| of_thread),
            counters: timed.counters,
            stages: staged.stages,
            staged_start: staged.start,
            profiled_seconds: staged.seconds,
            within_cpu_set: self.all_within_cpu_set(&before) && self.all_within_cpu_set(&after),
            cpus: before.iter().filter(|_| of_thread).map(|core| core.cpu).collect(),
            quota_throttled: stopped_after > stopped_before,
            ..Sample::default()
        };
        // The state of host cores that waited for a GPU does not matter.
        if let Some(SampledGpu { gpu, watch, .. }) = &self.sampled_gpu {
            watch.has_worked();
            let condition = watch.judge(&gpu_before, &gpu_after);
            sample.slow_clock = condition.slow_clock;
            sample.limits = condition.limits;
            sample.clock_mhz = gpu_before.clock_mhz;
            sample.launches_in_stages = gpu.was_host_late();
        } else {
            // A probe that was stopped by the quota is not usable.
            let condition = if is_probe_stopped {
                CoreCondition::default()
            } else {
                self.judge(&before, &after)
            };
            let clocks = before.iter().filter_map(|core| core.reading);
            sample.slow_clock = condition.slow_clock;
            sample.disturbed = condition.disturbed;
            sample.clock_mhz = clocks.map(|reading| reading.clock_mhz).reduce(f64::min);
            sample.migrated = of_thread && before.iter().zip(&after).any(|(a, b)| a.cpu != b.cpu);
        }
        sample.spent = start.elapsed();
        Ok(sample)
    }
}

impl Consumer for CandidateSampler<'_> {
    /// Fresh input, and caches as they are before samples.
    fn refresh(&mut self) -> Result<(), DeviceError> {
        self.reset()?;
        if let Some(flush) = self.flush {
            flush.flush(self.team);
        }
        self.empty_gpu_cache()
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let candidate = &mut self.candidate;
        self.team.run(|| candidate.run())
    }
}

/// Keeps the core busy for `seconds` of this thread's CPU time, as additional work would, or of
/// wall-clock time if CPU time is not available.
fn spin(seconds: f64) {
    let start = Instant::now();
    let cpu_start = thread_time();
    let spent = || spent_since(cpu_start).unwrap_or_else(|| start.elapsed().as_secs_f64());
    while spent() < seconds {
        std::hint::spin_loop();
    }
}

fn spent_since(start: Option<Duration>) -> Option<f64> {
    let spent = thread_time()?.checked_sub(start?)?;
    Some(spent.as_secs_f64())
}

impl Sampler for CandidateSampler<'_> {
    type Sample = Sample;
    type Failure = DeviceError;

    /// Takes a sample. A team of one does all steps in one call: if other programs compete for its
    /// core, each wake-up takes some milliseconds.
    fn sample(&mut self) -> Result<Sample, DeviceError> {
        let team = self.team;
        if team.threads() == 1 { team.run(|| self.take()) } else { self.take() }
    }

    fn needs_warm_up(&self) -> bool {
        self.needs_warm_up
    }

    /// A GPU is kept busy before each run.
    fn is_kept_warm(&self) -> bool {
        let sampled_gpu = self.sampled_gpu.as_ref();
        sampled_gpu.is_some_and(|sampled_gpu| sampled_gpu.mode != GpuMode::Profile)
    }
}

impl Measurement for Sample {
    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn counts(&self) -> bool {
        self.within_cpu_set
    }

    fn spent(&self) -> Duration {
        self.spent
    }
}

#[cfg(test)]
mod tests;
