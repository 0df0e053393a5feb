//! Batches of fragments of sectors: as published, a fragment each of a few sectors, and all
//! fragments of these before those of the next ones.

use std::ops::Range;

use generators_tpc::charges::{Charge, ChargeCase};

use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Job;
use crate::tpc_cluster_finder::input::{Charges, of_case};
use crate::tpc_decode::FragmentOfFrame;

/// Sectors that are processed at once, as published: each has its own maps.
pub(crate) const SECTORS_AT_ONCE: usize = 3;

/// All fragments of all sectors, divided into batches.
#[derive(Default)]
pub(super) struct Batches {
    pub(super) jobs: Vec<Job>,
    pub(super) batches: Vec<Batch>,
    /// Maximum number of samples of a batch.
    pub(super) positions: usize,
}

/// A batch of jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Range of its jobs among all.
    pub(crate) jobs: Range<usize>,
    /// Maximum number of samples of a job.
    pub(crate) samples: usize,
    /// Time bins of the longest job.
    pub(crate) time_bins: u32,
}

impl Batches {
    pub(super) fn new(charges: &Charges) -> Self {
        let numbered: Vec<_> = numbered(charges.cases());
        let mut all = Batches::default();
        for sectors in numbered.chunks(SECTORS_AT_ONCE) {
            let fragments = sectors.iter().map(Vec::len).max().unwrap_or(0);
            for number in 0..fragments {
                all.add(sectors.iter().filter_map(|jobs| jobs.get(number)));
            }
        }
        all
    }

    fn add<'j>(&mut self, jobs: impl Iterator<Item = &'j Job>) {
        let first = self.jobs.len();
        let mut position = 0;
        self.jobs.extend(jobs.map(|job| {
            let first_position = position;
            position += job.samples;
            Job { first_position, ..*job }
        }));
        let jobs = &self.jobs[first..];
        let samples = jobs.iter().map(|job| job.samples as usize).max().unwrap_or(0);
        let time_bins = jobs.iter().map(|job| job.time_bins).max().unwrap_or(0);
        self.positions = self.positions.max(position as usize);
        if samples > 0 {
            self.batches.push(Batch { jobs: first..self.jobs.len(), samples, time_bins });
        }
    }
}

/// Maximum of a quantity over all batches.
pub(super) fn most(batches: &[Batch], of_batch: impl Fn(&Batch) -> usize) -> usize {
    batches.iter().map(of_batch).max().unwrap_or(0)
}

/// The jobs of each sector.
fn numbered(cases: &[ChargeCase]) -> Vec<Vec<Job>> {
    let mut first = 0;
    let of_case = |(case, number): (&ChargeCase, u32)| {
        let jobs = jobs_of(case, number, first);
        first += case.charges.len();
        jobs
    };
    cases.iter().zip(0..).map(of_case).collect()
}

fn jobs_of(case: &ChargeCase, sector: u32, first_sample: usize) -> Vec<Job> {
    let is_sorted = case.charges.is_sorted_by_key(|sample| sample.time);
    let job = |fragment: FragmentOfFrame| {
        let Range { start, end } = fragment.time_bins;
        let samples = if is_sorted {
            samples_between(&case.charges, fragment.time_bins)
        } else {
            0..case.charges.len()
        };
        Job {
            sector,
            first_sample: (first_sample + samples.start) as u32,
            samples: samples.len() as u32,
            first_position: 0,
            first_time: start,
            time_bins: end - start,
            own_begin: fragment.own.start,
            own_end: fragment.own.end,
        }
    };
    of_case(case).map(job).collect()
}

fn samples_between(sorted: &[Charge], times: Range<u32>) -> Range<usize> {
    let before = |time| sorted.partition_point(|sample| sample.time < time);
    before(times.start)..before(times.end)
}
