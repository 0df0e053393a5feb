//! A CPU sort with its buffers, ready to run on one input.

use generators::partition::Partition;
use generators::sts::{Digi, SegmentedDigis};

use super::parts::Split;
use super::{CpuSort, Scratch, SortSegment};
use crate::algorithm::{Prepared, Stages};
use crate::device::Arena;
use crate::sts_sort::StsSort;

/// What no digi of any input is likely to be.
const POISON: Digi = Digi::from_bits(0xa5a5_a5a5_a5a5_a5a5);

pub(super) struct PreparedCpuSort<'a> {
    sort_segment: SortSegment,
    input: &'a SegmentedDigis,
    arena: &'a Arena,
    split: Split,
    scratch_length: usize,
    threads: usize,
    digis: Vec<Digi>,
    scratch: Vec<Digi>,
}

/// One segment to be sorted.
struct Job<'a> {
    digis: &'a mut [Digi],
    scratch: &'a mut [Digi],
}

impl<'a> PreparedCpuSort<'a> {
    pub(super) fn new(
        sort: &CpuSort,
        input: &'a SegmentedDigis,
        arena: &'a Arena,
        threads: usize,
    ) -> Self {
        let split = Split::new(input.partition(), threads);
        let needs_scratch = match sort.scratch {
            Scratch::Always => true,
            Scratch::WhenSplit => split.any(input.partition()),
        };
        PreparedCpuSort {
            sort_segment: sort.sort_segment,
            input,
            arena,
            split,
            scratch_length: if needs_scratch {
                input.digis().len()
            } else {
                0
            },
            threads,
            digis: Vec::new(),
            scratch: Vec::new(),
        }
    }

    fn sort(&mut self) {
        let jobs = jobs(self.input.partition(), &mut self.digis, &mut self.scratch);
        let sort = |job: Job<'_>| {
            let parts = self.split.parts(job.digis.len());
            (self.sort_segment)(job.digis, job.scratch, parts);
        };
        if self.threads == 1 {
            jobs.into_iter().for_each(sort);
        } else {
            sort_in_parallel(jobs, sort);
        }
    }
}

/// A job a segment.
fn jobs<'a>(partition: &Partition, digis: &'a mut [Digi], scratch: &'a mut [Digi]) -> Vec<Job<'a>> {
    let digis = partition.split_mut(digis);
    let job = |(digis, scratch)| Job { digis, scratch };
    if scratch.is_empty() {
        let none = std::iter::repeat_with(|| &mut [][..]);
        digis.into_iter().zip(none).map(job).collect()
    } else {
        let scratch = partition.split_mut(scratch);
        digis.into_iter().zip(scratch).map(job).collect()
    }
}

/// The largest first, so that nobody is left with a large one at the end.
fn sort_in_parallel(mut jobs: Vec<Job<'_>>, sort: impl Fn(Job<'_>) + Sync) {
    jobs.sort_by_key(|job| std::cmp::Reverse(job.digis.len()));
    let sort = &sort;
    rayon::scope_fifo(|scope| {
        for job in jobs {
            scope.spawn_fifo(move |_| sort(job));
        }
    });
}

impl Prepared<StsSort> for PreparedCpuSort<'_> {
    fn reset(&mut self) {
        if self.digis.is_empty() {
            self.digis = self.arena.take(self.input.digis().len());
            self.scratch = self.arena.take(self.scratch_length);
        }
        self.digis.copy_from_slice(self.input.digis());
    }

    fn poison(&mut self) {
        self.scratch.fill(POISON);
    }

    fn run(&mut self) -> Stages {
        self.sort();
        Stages::new()
    }

    fn output(&self) -> &Vec<Digi> {
        &self.digis
    }

    fn release(&mut self) {
        self.arena.give(std::mem::take(&mut self.digis));
        self.arena.give(std::mem::take(&mut self.scratch));
    }

    fn buffer_bytes(&self) -> u64 {
        ((self.input.digis().len() + self.scratch_length) * size_of::<Digi>()) as u64
    }
}
