//! Raw data that a chain starts from.

use generators_sts::Digi;
use generators_sts::raw::{MicrosliceCounts, TimesliceCounts};
use parallel::fill;
use portable_gpu::timing::Laps;

use crate::sts::presort::{LookupTable, capacity_for_parts};
use crate::sts_unpack::RawTimeslices;
use crate::sts_unpack::cpu::{self, Unpack, UnpackInput};
use crate::sts_unpack::survey::{Job, Survey, survey};
use tasks::device::Arena;

/// Raw data, and their unpacked digis.
pub(super) struct Raw<'a> {
    input: &'a RawTimeslices,
    jobs: Vec<Job>,
    counts: Vec<MicrosliceCounts>,
    /// Capacity for one digi of each message, and for the extra digis that parts need.
    digis: Vec<Digi>,
    capacity: usize,
    /// Digis of the stream.
    found: usize,
    makes_stream: bool,
}

impl<'a> Raw<'a> {
    /// Unpacks to a stream, or with `parts` threads to parts that go to module sides.
    pub(super) fn new(input: &'a RawTimeslices, parts: Option<usize>) -> Self {
        let messages = input.data().messages() as usize;
        Raw {
            input,
            jobs: Vec::new(),
            counts: Vec::new(),
            digis: Vec::new(),
            capacity: parts.map_or(messages, |parts| capacity_for_parts(messages, parts)),
            found: 0,
            makes_stream: parts.is_none(),
        }
    }

    pub(super) fn makes_stream(&self) -> bool {
        self.makes_stream
    }

    pub(super) fn take(&mut self, arena: &Arena) {
        let microslices = self.input.data().microslices();
        self.jobs = arena.take(microslices);
        self.counts = arena.take(microslices);
        self.digis = arena.take(self.capacity);
    }

    pub(super) fn poison(&mut self) {
        self.jobs.fill(Job::default());
        self.counts.fill(MicrosliceCounts::default());
        fill(&mut self.digis, Digi::from_bits(u64::MAX));
        self.found = 0;
    }

    pub(super) fn release(&mut self, arena: &Arena) {
        arena.give(std::mem::take(&mut self.jobs));
        arena.give(std::mem::take(&mut self.counts));
        arena.give(std::mem::take(&mut self.digis));
    }

    pub(super) fn bytes(&self) -> usize {
        let of_microslice = size_of::<Job>() + size_of::<MicrosliceCounts>();
        self.input.data().microslices() * of_microslice + self.capacity * size_of::<Digi>()
    }

    /// Makes the stream.
    pub(super) fn unpack(&mut self, algorithm: Unpack) {
        let Raw { input, jobs, counts, digis, .. } = self;
        let mut laps = Laps::default();
        let counted = cpu::unpack(input, algorithm, jobs, counts, digis, &mut laps);
        self.found = counted.iter().map(TimesliceCounts::digis).sum();
    }

    /// The stream that was made.
    pub(super) fn stream(&self) -> &[Digi] {
        &self.digis[..self.found]
    }

    /// Distributes digis over sides, and returns the number of each side.
    pub(super) fn scatter(
        &mut self,
        table: &LookupTable,
        target: &mut [Digi],
        threads: usize,
    ) -> Vec<usize> {
        let data = self.input.data();
        let tables = self.input.tables();
        let rules = self.input.rules();
        let Survey { jobs, timeslices } = survey(data, tables, rules, &mut self.jobs);
        let bytes = data.bytes();
        let input = UnpackInput { bytes, tables, rules, jobs, timeslices: &timeslices };
        let counts = &mut self.counts[..jobs.len()];
        table.scatter_raw(&input, counts, &mut self.digis, target, threads)
    }
}
