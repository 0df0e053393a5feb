//! Unpacking on the host, and optionally sorting by time: one algorithm for each variant.
//!
//! | module | holds |
//! |---|---|
//! | `microslice` | message by message |
//! | `published` | a microslice at a time into a list of its own, which are copied together |
//! | `simd` | ours: once, by wide instructions, with parts placed in their order |

mod microslice;
mod published;
mod simd;

use std::borrow::Cow;

use generators_common::partition::Partition;
use generators_sts::Digi;
use generators_sts::raw::{MicrosliceCounts, Rules, TimesliceCounts, Unpacked};
use portable_gpu::DeviceError;
use portable_gpu::timing::{Laps, Stages};

use super::StsUnpack;
use super::input::{DigiOrder, RawTimeslices, partition};
use super::survey::{Job, Survey, sum_up, survey};
use super::tables::Tables;
use crate::std_sort;
use crate::sts_sort::cpu::parts::{Cost, sort_parts};
use crate::sts_sort::cpu::segments::{SegmentSort, Threads, sort_all};
use crate::sts_sort::cpu::{ResultIn, sort_by_time};
use crate::sts_sort::order::ByTime;
use microslice::Microslice;
use tasks::algorithm::{PrepareResult, Runner, Variant, VariantContext};
use tasks::device::{Arena, ArenaVec, buffers};

pub(crate) use simd::{capacity_for, even_parts, messages_of, unpack_part};

/// Variants that chains begin with.
pub(crate) const PUBLISHED: Unpack = published::unpack;
pub(crate) const SIMD: Unpack = simd::unpack;

/// `std::sort`, in parts that are merged where there are threads for them.
const BY_STD_SORT: SegmentSort = SegmentSort {
    sort: |digis, scratch, parts| {
        sort_parts::<ByTime>(digis, scratch, parts, std_sort::sort_digis_by_time)
    },
    cost: Cost::LogLinear,
};
/// By recobench's sort by time.
const BY_BUCKETS: SegmentSort = SegmentSort { sort: sort_by_time, cost: Cost::Linear };

pub(super) const VARIANTS: &[Variant<StsUnpack>] = &[
    Variant::cpu(
        "published",
        "a list of digis for each microslice, copied together at the end, as the experiment on a CPU",
        open_published,
    )
    .by_published_rules(),
    Variant::cpu(
        "simd",
        "ours: tables by a hit's own bits, 16 messages at a time with AVX-512; parts are placed \
         one behind the other, past the caches",
        |at| at.session(HostRunner::new(at, simd::unpack, BY_BUCKETS)),
    )
    .by_published_rules(),
];

/// The digis of raw data that are wanted by time, as `simd` has them, in buffers for these data.
pub(crate) fn by_time<'h>(
    input: &RawTimeslices,
    buffers: &'h mut HostBuffers<'_>,
    threads: usize,
) -> &'h [Digi] {
    let timeslices = partition(&buffers.unpack(input, simd::unpack, &mut Laps::default()));
    buffers.sort(&timeslices, BY_BUCKETS, threads);
    &buffers.digis()[..timeslices.elements()]
}

/// `std::sort` is missed only where digis are sorted.
fn open_published<'a>(at: &VariantContext<'a, '_, StsUnpack>) -> PrepareResult<'a, StsUnpack> {
    if at.input.order() == DigiOrder::Time {
        std_sort::available()?;
    }
    at.session(HostRunner::new(at, published::unpack, BY_STD_SORT))
}

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
    fn microslice(&self, job: &'w Job) -> Option<Microslice<'w>> {
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
struct HostRunner<'a> {
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
    fn sort(&mut self, timeslices: &Partition, algorithm: SegmentSort, threads: usize) {
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

impl<'a> HostRunner<'a> {
    fn new(at: &VariantContext<'a, '_, StsUnpack>, unpack: Unpack, sort: SegmentSort) -> Self {
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
