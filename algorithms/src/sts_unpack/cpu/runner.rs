//! Code shared by all unpacking algorithms.

use std::borrow::Cow;

use generators::partition::Partition;
use generators::sts::Digi;
use generators::sts::raw::{MicrosliceCounts, Rules, TimesliceCounts, Unpacked};

use super::microslice::Microslice;
use crate::algorithm::{Runner, VariantContext};
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec, Poison, buffers};
use crate::sts_sort::cpu::scratch::Threads;
use crate::sts_sort::cpu::segments::{SegmentSort, sort_all};
use crate::sts_sort::cpu::two_arrays::ResultIn;
use crate::sts_unpack::StsUnpack;
use crate::sts_unpack::input::RawTimeslices;
use crate::sts_unpack::order::{DigiOrder, partition};
use crate::sts_unpack::survey::{Job, Survey, sum_up, survey};
use crate::sts_unpack::tables::Tables;
use crate::timing::{Laps, Stages};

/// Input of an unpacking algorithm.
#[derive(Clone, Copy)]
pub(crate) struct UnpackInput<'w> {
    pub(crate) bytes: &'w [u8],
    pub(crate) tables: &'w Tables,
    pub(crate) rules: Rules,
    /// All microslices.
    pub(crate) jobs: &'w [Job],
    /// Number of microslices of each timeslice.
    pub(crate) timeslices: &'w [TimesliceCounts],
}

impl<'w> UnpackInput<'w> {
    /// A microslice, if it is to be unpacked.
    pub(super) fn microslice(&self, job: &'w Job) -> Option<Microslice<'w>> {
        (job.board != Job::NO_BOARD).then(|| Microslice {
            content: &self.bytes[job.begin as usize..][..job.bytes as usize],
            job,
            board: self.tables.board(job.board),
            rules: self.rules,
        })
    }
}

/// Unpacking algorithm: writes digis in order to the beginning of a list that has capacity for one
/// per message, and the counts of each microslice.
pub(crate) type Unpack = fn(&UnpackInput<'_>, &mut [MicrosliceCounts], &mut [Digi], &mut Laps);

/// Surveys descriptors, then unpacks; returns the counts of each timeslice.
pub(crate) fn unpack(
    input: &RawTimeslices,
    algorithm: Unpack,
    jobs: &mut [Job],
    counts: &mut [MicrosliceCounts],
    digis: &mut [Digi],
    laps: &mut Laps,
) -> Vec<TimesliceCounts> {
    laps.start();
    let data = input.data();
    let tables = input.tables();
    let rules = input.rules();
    let Survey { jobs, mut timeslices } = survey(data, tables, rules, jobs);
    laps.lap("survey", 0);
    let input = UnpackInput { bytes: data.bytes(), tables, rules, jobs, timeslices: &timeslices };
    let counts = &mut counts[..jobs.len()];
    algorithm(&input, counts, digis, laps);
    sum_up(&mut timeslices, counts);
    timeslices
}

/// Unpacking algorithm with an input, and a sort if digis are wanted by time.
pub(super) struct HostRunner<'a> {
    input: &'a RawTimeslices,
    arena: &'a Arena,
    unpack: Unpack,
    sort: SegmentSort,
    threads: usize,
    /// Counts of the previous run.
    timeslices: Vec<TimesliceCounts>,
    laps: Laps,
}

pub(crate) struct HostBuffers<'a> {
    jobs: ArenaVec<'a, Job>,
    counts: ArenaVec<'a, MicrosliceCounts>,
    digis: ArenaVec<'a, Digi>,
    /// Scratch of the same length, if digis are to be sorted.
    scratch: ArenaVec<'a, Digi>,
}

buffers!(HostBuffers<'_>: jobs, counts, digis, scratch);

impl<'a> HostBuffers<'a> {
    /// Buffers for the largest possible output of an input.
    pub(crate) fn new(input: &RawTimeslices, arena: &'a Arena) -> Self {
        let data = input.data();
        let sorted = input.order() == DigiOrder::Time;
        HostBuffers {
            jobs: arena.vector(data.microslices()),
            counts: arena.vector(data.microslices()),
            digis: arena.vector(data.messages() as usize),
            scratch: arena.vector(if sorted { data.messages() as usize } else { 0 }),
        }
    }

    /// Unpacks, and returns the counts of each timeslice.
    pub(crate) fn unpack(
        &mut self,
        input: &RawTimeslices,
        algorithm: Unpack,
        laps: &mut Laps,
    ) -> Vec<TimesliceCounts> {
        let HostBuffers { jobs, counts, digis, .. } = self;
        unpack(input, algorithm, jobs, counts, digis, laps)
    }

    /// Sorts the unpacked digis, timeslice by timeslice.
    pub(super) fn sort(&mut self, timeslices: &Partition, algorithm: SegmentSort, threads: usize) {
        let HostBuffers { digis, scratch, .. } = self;
        let length = timeslices.elements();
        let sorted = &mut digis[..length];
        let other = &mut scratch[..length];
        let threads = Threads::new(threads);
        if sort_all(timeslices, sorted, other, algorithm, &threads) == ResultIn::Scratch {
            std::mem::swap(digis, scratch);
        }
    }

    /// The buffer of digis: the output, followed by stale data.
    pub(crate) fn digis(&self) -> &[Digi] {
        &self.digis
    }
}

impl Poison for MicrosliceCounts {
    const POISON: Self = MicrosliceCounts {
        digis: u32::POISON,
        other: u32::POISON,
        elink: u32::POISON,
        first: u32::POISON,
        size: u32::POISON,
        overflow: u32::POISON,
        undefined: u32::POISON,
    };
}

impl<'a> HostRunner<'a> {
    pub(super) fn new(
        at: &VariantContext<'a, '_, StsUnpack>,
        unpack: Unpack,
        sort: SegmentSort,
    ) -> Self {
        let timeslices = Vec::new();
        let laps = Laps::default();
        let input = at.input;
        let arena = at.arena;
        let threads = at.threads();
        HostRunner { input, arena, unpack, sort, threads, timeslices, laps }
    }
}

impl<'a> Runner<StsUnpack> for HostRunner<'a> {
    type Buffers = HostBuffers<'a>;

    fn allocate(&self) -> Result<HostBuffers<'a>, DeviceError> {
        Ok(HostBuffers::new(self.input, self.arena))
    }

    fn run(&mut self, buffers: &mut HostBuffers<'a>) -> Result<(), DeviceError> {
        self.timeslices = buffers.unpack(self.input, self.unpack, &mut self.laps);
        if self.input.order() == DigiOrder::Time {
            buffers.sort(&partition(&self.timeslices), self.sort, self.threads);
            self.laps.lap("sort", 0);
        }
        Ok(())
    }

    fn stages(&self, _: &HostBuffers<'a>) -> Stages {
        self.laps.stages()
    }

    fn output<'b>(&'b self, buffers: &'b HostBuffers<'a>) -> Cow<'b, Unpacked> {
        let digis: usize = self.timeslices.iter().map(TimesliceCounts::digis).sum();
        let microslices: u64 = self.timeslices.iter().map(|counts| counts.microslices).sum();
        Cow::Owned(Unpacked {
            timeslices: self.timeslices.clone(),
            microslices: buffers.counts[..microslices as usize].to_vec(),
            digis: buffers.digis[..digis].to_vec(),
        })
    }

    fn input_bytes(&self) -> u64 {
        self.input.data().bytes().len() as u64
    }
}
