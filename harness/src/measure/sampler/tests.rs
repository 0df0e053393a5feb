//! Sampling on an emulated GPU.

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use portable_gpu::Gpu;
use portable_gpu::ceilings::MemoryStreams;
use portable_gpu::emulator::Config;

use super::super::gpu::watch::Watch;
use super::super::gpu::watch::tests::{Fake, FakeMonitor};
use super::*;
use crate::platform::control_groups::tests::in_file;
use crate::platform::counters::Event;
use crate::platform::counters::fake::Script;

/// Candidate that copies on the device, if it has one, and counts calls.
#[derive(Default)]
struct Copying {
    gpu: Option<Arc<Gpu>>,
    /// Number of resets and runs.
    counts: Arc<[AtomicUsize; 2]>,
}

impl Candidate for Copying {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.counts[0].fetch_add(1, Relaxed);
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.counts[1].fetch_add(1, Relaxed);
        let Some(gpu) = &self.gpu else {
            return Ok(());
        };
        MemoryStreams::new(gpu, 64)?.copy(gpu)?;
        gpu.finish()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        let gpu = self.gpu.as_ref();
        gpu.map_or(Ok(Stages::default()), |gpu| gpu.stages())
    }

    fn check(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        0
    }
}

/// Takes samples in this mode; returns the last one, with the numbers of resets and runs.
fn sampled(mode: GpuMode, clocks: &[u32], limits: &[Limit]) -> Option<(Sample, usize, usize)> {
    let Ok(gpu) = Gpu::emulated(Config::default()).map(Arc::new) else {
        eprintln!("skipped: no emulator");
        return None;
    };
    let team = Team::new(1).expect("a thread");
    let monitor = FakeMonitor::default();
    let watch = Watch::new(Box::new(monitor.clone()));
    let counts = Arc::<[AtomicUsize; 2]>::default();
    let candidate = Copying { gpu: Some(Arc::clone(&gpu)), counts: Arc::clone(&counts) };
    let sampled_gpu = SampledGpu { gpu, watch: &watch, mode, ranges: None };
    let mut sampler = CandidateSampler::new(Box::new(candidate), &team);
    sampler.sampled_gpu = Some(sampled_gpu);
    let mut last = None;
    for &clock in clocks {
        *monitor.0.lock().expect("no panic") =
            Fake { clock_mhz: Some(clock), limits: limits.to_vec(), energy_j: None };
        last = Some(sampler.sample().expect("no failure"));
    }
    let [resets, runs] = [0, 1].map(|number| counts[number].load(Relaxed));
    Some((last?, resets, runs))
}

#[test]
fn the_clock_of_a_sample_is_that_of_the_gpu() {
    let clocks = [1980, 1980, 1980, 1980, 1200];
    let Some((sample, resets, runs)) = sampled(GpuMode::Profile, &clocks, &[Limit::Power]) else {
        return;
    };
    assert_eq!(sample.clock_mhz, Some(1200.0));
    assert!(sample.slow_clock);
    assert_eq!(sample.limits, [Limit::Power]);
    assert!(!sample.disturbed && !sample.migrated, "{sample:?}");
    assert_eq!((resets, runs), (5, 5), "a profiler sees nothing but runs");
}

#[test]
fn stages_are_those_of_a_run_of_their_own_with_fresh_input() {
    let Some((sample, resets, runs)) = sampled(GpuMode::Measure, &[1980], &[]) else {
        return;
    };
    assert_eq!((resets, runs), (2, 2));
    assert!(!sample.slow_clock && sample.limits.is_empty());
    // Times on the emulator are meaningless.
    assert_eq!(sample.stages, Some(Vec::new()));
}

#[test]
fn where_kernels_are_compared_all_samples_are_run_again_for_their_stages() {
    let clocks = [1980; 9];
    let Some((sample, resets, runs)) = sampled(GpuMode::MeasureKernels, &clocks, &[]) else {
        return;
    };
    assert_eq!((resets, runs), (18, 18));
    assert_eq!(sample.stages, Some(Vec::new()));
}

#[test]
fn the_first_samples_and_then_one_in_five_are_run_again_for_their_stages() {
    // One additional run for warm-up.
    let runs_of = |samples: usize| {
        let (sample, resets, runs) = sampled(GpuMode::Measure, &vec![1980; 1 + samples], &[])?;
        assert_eq!(resets, runs);
        Some((runs - samples - 1, sample.stages.is_some()))
    };
    let samples = [1, 2, 3, 5, 6, 7, 11, 25];
    for (samples, staged) in samples.into_iter().zip([2, 3, 3, 3, 4, 4, 5, 7]) {
        let Some((found, is_staged)) = runs_of(samples) else {
            return;
        };
        assert_eq!(found, staged, "{samples} samples");
        assert_eq!(is_staged, matches!(samples, 1 | 2 | 6 | 11), "{samples}");
    }
}

#[test]
fn counters_are_read_just_before_and_after_the_run() {
    let team = Team::new(1).expect("a thread");
    let counters = Script::from_cycles(&[100, 350, 400, 1000, 2000]);
    let mut sampler = CandidateSampler::new(Box::new(Copying::default()), &team);
    sampler.counting = Some(&counters);
    let mut cycles = || {
        let sample = sampler.sample().expect("no failure");
        sample.counters.map(|counts| counts.get(Event::Cycles))
    };
    assert_eq!(cycles(), Some(Some(250.0)));
    assert_eq!(cycles(), Some(Some(600.0)));
    assert_eq!(cycles(), None, "it can't be read any more");
}

#[test]
fn counters_are_read_only_on_request() {
    let team = Team::new(1).expect("a thread");
    let mut sampler = CandidateSampler::new(Box::new(Copying::default()), &team);
    assert_eq!(sampler.sample().expect("no failure").counters, None);
}

/// Candidate that exhausts its CPU quota in one of its runs.
struct ThrottledCandidate<'a> {
    stat: &'a Path,
    runs: usize,
}

impl Candidate for ThrottledCandidate<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.runs += 1;
        let periods = usize::from(self.runs > 1);
        std::fs::write(self.stat, format!("nr_throttled {periods}\n")).expect("written");
        Ok(())
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(Stages::default())
    }

    fn check(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        0
    }
}

#[test]
fn a_sample_in_which_the_quota_was_used_up_is_marked() {
    let folder = tempfile::tempdir().expect("a folder");
    let stat = folder.path().join("cpu.stat");
    let quota = in_file(&stat);
    let team = Team::new(1).expect("a thread");
    let mut sampler =
        CandidateSampler::new(Box::new(ThrottledCandidate { stat: &stat, runs: 0 }), &team);
    sampler.quota = Some(&quota);
    let marks: Vec<bool> =
        (0..3).map(|_| sampler.sample().expect("no failure").quota_throttled).collect();
    assert_eq!(marks, [false, true, false]);
}
