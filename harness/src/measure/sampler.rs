//! One sample of one candidate.

use std::time::{Duration, Instant};

use algorithms::algorithm::Stages;
use algorithms::device::Team;
use algorithms::task::Candidate;

use super::cache::CacheFlush;
use super::clock;
use super::rounds::Sampler;
use crate::plan::TeamSpec;
use crate::platform::current_cpu;

/// What a sample tells.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The time of the run.
    pub seconds: f64,
    /// The times of its stages, where the variant knows them.
    pub stages: Stages,
    /// The CPU of each worker before the run.
    pub cpus: Vec<Option<usize>>,
    /// Whether a worker was on another CPU after the run.
    pub migrated: bool,
    /// Whether all workers were in their places. Else the sample is kept, but
    /// does not count.
    pub in_place: bool,
    /// The clock just before the run, where it can be told.
    pub clock_mhz: Option<f64>,
    /// The time that the sample cost, with all that surrounds it.
    pub spent: Duration,
}

/// A candidate with the team it runs on.
pub struct CandidateSampler<'a> {
    candidate: Box<dyn Candidate + 'a>,
    team: &'a Team,
    flush: Option<&'a CacheFlush>,
    spec: Option<&'a TeamSpec>,
}

/// What is seen on the thread that runs the candidate.
struct Timing {
    seconds: f64,
    stages: Stages,
    clock_mhz: Option<f64>,
}

impl<'a> CandidateSampler<'a> {
    /// A sampler that leaves the caches as they are.
    pub fn new(candidate: Box<dyn Candidate + 'a>, team: &'a Team) -> Self {
        CandidateSampler {
            candidate,
            team,
            flush: None,
            spec: None,
        }
    }

    /// Checks that the workers are in their places.
    pub(super) fn in_places(mut self, spec: &'a TeamSpec) -> Self {
        self.spec = Some(spec);
        self
    }

    fn all_in_place(&self, cpus: &[Option<usize>]) -> bool {
        let in_place = |(worker, &cpu): (usize, &Option<usize>)| {
            self.spec.is_none_or(|spec| spec.allows(worker, cpu))
        };
        cpus.iter().enumerate().all(in_place)
    }

    /// Flushes the caches before each sample.
    pub(super) fn flushing(mut self, flush: &'a CacheFlush) -> Self {
        self.flush = Some(flush);
        self
    }

    /// On the team, whose caches and memory the input then lies in.
    fn reset(&mut self) {
        let candidate = &mut self.candidate;
        self.team.run(|| candidate.reset());
    }

    fn cpus(&self) -> Vec<Option<usize>> {
        self.team.run_on_each(|_| current_cpu())
    }

    /// The clock starts on the worker, so that waking it does not count.
    fn time(&mut self) -> Timing {
        let candidate = &mut self.candidate;
        self.team.run(|| {
            let clock_mhz = clock::read_mhz();
            let start = Instant::now();
            let stages = candidate.run();
            let seconds = start.elapsed().as_secs_f64();
            Timing {
                seconds,
                stages,
                clock_mhz,
            }
        })
    }
}

impl Sampler for CandidateSampler<'_> {
    type Sample = Sample;

    fn sample(&mut self) -> Sample {
        let start = Instant::now();
        self.reset();
        if let Some(flush) = self.flush {
            flush.flush(self.team);
        }
        let cpus = self.cpus();
        let timing = self.time();
        let cpus_after = self.cpus();
        self.candidate.release();
        Sample {
            seconds: timing.seconds,
            stages: timing.stages,
            migrated: cpus != cpus_after,
            in_place: self.all_in_place(&cpus) && self.all_in_place(&cpus_after),
            cpus,
            clock_mhz: timing.clock_mhz,
            spent: start.elapsed(),
        }
    }

    fn seconds(sample: &Sample) -> f64 {
        sample.seconds
    }

    fn counts(sample: &Sample) -> bool {
        sample.in_place
    }

    fn spent(sample: &Sample) -> Duration {
        sample.spent
    }
}
