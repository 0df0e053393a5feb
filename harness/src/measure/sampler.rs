//! One sample of one candidate.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use algorithms::device::Team;
use algorithms::device::gpu::DeviceError;
use algorithms::device::gpu::monitor::Limit;
use algorithms::task::Candidate;
use algorithms::timing::Stages;

use super::gpu::energy::{self, Consumer};
use super::gpu::on_gpu::{GpuMode, OnGpu};
use super::gpu::watch::GpuState;
use super::probe::{self, Condition, Reading, Usual};
use super::rounds::Sampler;
use super::series::Taken;
use super::teams::CacheFlush;
use crate::plan::TeamSpec;
use crate::platform::counters::{Counting, Counts, Reading as Counted};
use crate::platform::cpu_quota::CpuQuota;
use crate::platform::{current_cpu, run_delay, thread_time};

/// What a sample tells.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// The time of the run.
    pub seconds: f64,
    /// The time of it for which the worker of a team of one had a core.
    pub cpu_seconds: Option<f64>,
    /// The time of it for which that worker waited for a core.
    pub run_delay_seconds: Option<f64>,
    /// The times of its stages, where the variant knows them; on a GPU those of the
    /// first samples of a visit only.
    pub stages: Option<Stages>,
    /// The time of the run of a GPU that told them: with an event after each copy and kernel.
    pub profiled_seconds: Option<f64>,
    /// The CPU of each worker before the run.
    pub cpus: Vec<Option<usize>>,
    /// Whether a worker was on another CPU after the run.
    pub migrated: bool,
    /// Whether all workers were in their places. Else the sample is kept, but
    /// does not count.
    pub in_place: bool,
    /// Whether somebody else used a core just before or after the run.
    pub disturbed: bool,
    /// Whether the quota of CPU time was used up during the run: threads were stopped.
    pub quota_throttled: bool,
    /// Whether a core, or the GPU, was far below its usual clock.
    pub slow_clock: bool,
    /// The lowest clock of the workers just before the run, or that of the GPU,
    /// where it can be told.
    pub clock_mhz: Option<f64>,
    /// What held the clock of the GPU down.
    pub limits: Vec<Limit>,
    /// Whether the stages of a GPU hold what launches cost the host.
    pub launches_in_stages: bool,
    /// What the processor counted during the run, where it was asked to.
    pub counters: Option<Counts>,
    /// The time that the sample cost, with all that surrounds it.
    pub spent: Duration,
}

/// A candidate with the team it runs on, and what surrounds its samples.
pub struct CandidateSampler<'a> {
    candidate: Box<dyn Candidate + 'a>,
    team: &'a Team,
    /// Empties the caches before each sample.
    pub(super) flush: Option<&'a CacheFlush>,
    /// Says where the workers are to be.
    pub(super) spec: Option<&'a TeamSpec>,
    /// What probes usually find: what is not as usual is noticed.
    pub(super) usual: Option<&'a Mutex<Usual>>,
    /// Quota of CPU time, if there is one.
    pub(super) quota: Option<&'a CpuQuota>,
    /// The GPU, which has conditions of its own.
    pub(super) on_gpu: Option<OnGpu<'a>>,
    /// Counts what the processor does during runs.
    pub(super) counting: Option<&'a dyn Counting>,
    /// By this fraction each run is made slower than it is: what a self-test of the gate
    /// has to find.
    pub(super) slowdown: f64,
    /// Runs so far, those for warming up included.
    runs: usize,
    /// Those of them that were made once more for their stages.
    staged: usize,
}

/// Runs on a GPU that are made once more for their stages: the one for warming up, and the
/// first samples.
const FIRST_STAGED: usize = 3;
/// Of the runs after these, one in so many: stages hold still, and each run costs as much as
/// a sample. Five visits have six, the least for an interval.
const STAGED_EVERY: usize = 5;

/// What a run took.
struct Timed {
    seconds: f64,
    /// Of the worker of a team of one.
    cpu_seconds: Option<f64>,
    /// Likewise, waiting for a core.
    run_delay_seconds: Option<f64>,
    counters: Option<Counts>,
}

/// The stages of a run, and what the run took if it was made for them.
#[derive(Default)]
struct Staged {
    stages: Option<Stages>,
    seconds: Option<f64>,
}

/// What is seen on a worker before or after a run.
struct CoreState {
    cpu: Option<usize>,
    reading: Option<Reading>,
}

impl<'a> CandidateSampler<'a> {
    /// A sampler that takes nothing but times, and leaves the caches as they are.
    pub fn new(candidate: Box<dyn Candidate + 'a>, team: &'a Team) -> Self {
        CandidateSampler {
            candidate,
            team,
            flush: None,
            spec: None,
            usual: None,
            quota: None,
            on_gpu: None,
            counting: None,
            slowdown: 0.0,
            runs: 0,
            staged: 0,
        }
    }

    fn all_in_place(&self, cores: &[CoreState]) -> bool {
        self.spec.is_none_or(|spec| {
            let mut workers = cores.iter().enumerate();
            workers.all(|(worker, core)| spec.allows(worker, core.cpu))
        })
    }

    /// Fresh input, empty caches if they are to be cold, and a GPU at work.
    fn get_ready(&mut self) -> Result<(), DeviceError> {
        self.refresh()?;
        if let Some(flush) = self.flush {
            flush.flush(self.team);
        }
        if let Some(on_gpu) = &self.on_gpu {
            on_gpu.warm_up()?;
            if self.flush.is_some() {
                on_gpu.empty_cache()?;
            }
        }
        Ok(())
    }

    /// Whether the last run on a GPU is made once more.
    fn is_staged(&self, mode: GpuMode) -> bool {
        let samples_before = self.runs.saturating_sub(2);
        match mode {
            GpuMode::Measure => self.staged < FIRST_STAGED + samples_before / STAGED_EVERY,
            GpuMode::MeasureKernels => true,
            GpuMode::Profile => false,
        }
    }

    /// The stages of the run that was timed; on a GPU those of another one, with
    /// marks between copies and kernels, which the end-to-end time is free of.
    fn stages(&mut self) -> Result<Staged, DeviceError> {
        let gpu = match &self.on_gpu {
            None => return Ok(Staged { stages: Some(self.candidate.stages()?), seconds: None }),
            Some(on_gpu) if !self.is_staged(on_gpu.mode) => return Ok(Staged::default()),
            Some(on_gpu) => Arc::clone(&on_gpu.gpu),
        };
        self.staged += 1;
        self.get_ready()?;
        gpu.start_timeline()?;
        let seconds = self.time()?.seconds;
        Ok(Staged { stages: Some(self.candidate.stages()?), seconds: Some(seconds) })
    }

    /// Periods so far in which the quota of CPU time was used up.
    fn stopped_periods(&self) -> u64 {
        self.quota.map_or(0, CpuQuota::throttled)
    }

    fn look_at_gpu(&self) -> GpuState {
        let on_gpu = self.on_gpu.as_ref();
        on_gpu.map_or_else(GpuState::default, |on_gpu| on_gpu.watch.look())
    }

    /// Joules that a run on a GPU takes, where it can be told; see [`energy`].
    pub(super) fn energy(&mut self, max_time: Duration) -> Result<Option<f64>, DeviceError> {
        let watch = match &self.on_gpu {
            Some(on_gpu) if on_gpu.mode == GpuMode::Measure => on_gpu.watch,
            _ => return Ok(None),
        };
        let joules = energy::of_a_run(self, watch, max_time);
        self.candidate.release();
        joules
    }

    /// Cores that wait for a GPU are not probed: what they were at is of no concern.
    fn look(&self) -> Vec<CoreState> {
        let is_probed = self.on_gpu.is_none();
        self.team.run_on_each(|_| CoreState {
            cpu: current_cpu(),
            reading: is_probed.then(probe::read).flatten(),
        })
    }

    /// What a run takes. The clock starts on the worker, so that waking it does not count.
    fn time(&mut self) -> Result<Timed, DeviceError> {
        let (candidate, slowdown) = (&mut self.candidate, self.slowdown);
        let counting = self.counting;
        // Others' time is in nobody's clock but their own.
        let is_all = self.on_gpu.is_none() && self.team.threads() == 1;
        self.team.run(|| {
            let delay_start = is_all.then(run_delay).flatten();
            let before = counting.and_then(|counting| counting.read());
            let cpu_start = is_all.then(thread_time).flatten();
            let start = Instant::now();
            let ran = candidate.run();
            let mut seconds = start.elapsed().as_secs_f64();
            let mut cpu_seconds = spent_since(cpu_start);
            if slowdown > 0.0 {
                spin(slowdown * cpu_seconds.unwrap_or(seconds));
                seconds = start.elapsed().as_secs_f64();
                cpu_seconds = spent_since(cpu_start);
            }
            let after = counting.and_then(|counting| counting.read());
            let counted = before.zip(after);
            let delay = delay_start.and_then(|start| run_delay()?.checked_sub(start));
            ran.map(|()| Timed {
                seconds,
                cpu_seconds,
                run_delay_seconds: delay.map(|delay| delay.as_secs_f64()),
                counters: counted.map(|(before, after)| Counted::between(&before, &after)),
            })
        })
    }

    /// Whether the cores were as usual before and after a run.
    fn judge(&self, before: &[CoreState], after: &[CoreState]) -> Condition {
        let cores = before.iter().chain(after);
        let readings: Vec<_> = cores.filter_map(|core| Some((core.cpu, core.reading?))).collect();
        self.usual.map_or_else(Condition::default, |usual| {
            let mut usual = usual.lock().unwrap_or_else(PoisonError::into_inner);
            usual.judge(&readings)
        })
    }

    fn take(&mut self) -> Result<Sample, DeviceError> {
        let start = Instant::now();
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
        let staged = self.stages()?;
        self.candidate.release();
        let mut sample = Sample {
            seconds: timed.seconds,
            cpu_seconds: timed.cpu_seconds,
            run_delay_seconds: timed.run_delay_seconds,
            counters: timed.counters,
            stages: staged.stages,
            profiled_seconds: staged.seconds,
            in_place: self.all_in_place(&before) && self.all_in_place(&after),
            cpus: before.iter().map(|core| core.cpu).collect(),
            quota_throttled: stopped_after > stopped_before,
            ..Sample::default()
        };
        // What the cores of the host were at while they waited for a GPU is of no concern.
        if let Some(OnGpu { gpu, watch, .. }) = &self.on_gpu {
            watch.has_worked();
            let condition = watch.judge(&gpu_before, &gpu_after);
            sample.slow_clock = condition.slow_clock;
            sample.limits = condition.limits;
            sample.clock_mhz = gpu_before.clock_mhz;
            sample.launches_in_stages = gpu.was_host_late();
        } else {
            // A probe that was stopped says nothing of clocks and neighbours.
            let condition =
                if is_probe_stopped { Condition::default() } else { self.judge(&before, &after) };
            let clocks = before.iter().filter_map(|core| core.reading);
            sample.slow_clock = condition.slow_clock;
            sample.disturbed = condition.disturbed;
            sample.clock_mhz = clocks.map(|reading| reading.clock_mhz).reduce(f64::min);
            sample.migrated = before.iter().zip(&after).any(|(a, b)| a.cpu != b.cpu);
        }
        sample.spent = start.elapsed();
        Ok(sample)
    }
}

impl Consumer for CandidateSampler<'_> {
    /// On the team, whose caches and memory the input then lies in.
    fn refresh(&mut self) -> Result<(), DeviceError> {
        let candidate = &mut self.candidate;
        self.team.run(|| candidate.reset())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let candidate = &mut self.candidate;
        self.team.run(|| candidate.run())
    }
}

/// Keeps the core busy for so many seconds of this thread's own time, as more work
/// would; of the wall's where that can't be told.
fn spin(seconds: f64) {
    let (start, cpu_start) = (Instant::now(), thread_time());
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

    /// A team of one does all of it in one go: where others want its core, too, each time
    /// that it is woken takes some milliseconds.
    fn sample(&mut self) -> Result<Sample, DeviceError> {
        let team = self.team;
        if team.threads() == 1 { team.run(|| self.take()) } else { self.take() }
    }

    /// A GPU is at work before each run.
    fn is_kept_warm(&self) -> bool {
        let on_gpu = self.on_gpu.as_ref();
        on_gpu.is_some_and(|on_gpu| on_gpu.mode != GpuMode::Profile)
    }
}

impl Taken for Sample {
    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn counts(&self) -> bool {
        self.in_place
    }

    fn spent(&self) -> Duration {
        self.spent
    }
}

#[cfg(test)]
mod tests;
