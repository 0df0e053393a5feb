//! What all ways to unpack have in common.

use std::borrow::Cow;

use generators::sts::Digi;
use generators::sts::raw::{MicrosliceCounts, Rules, TimesliceCounts, Unpacked};

use super::microslice::Microslice;
use crate::algorithm::{Opening, Runner};
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec, Poison, buffers};
use crate::sts_unpack::StsUnpack;
use crate::sts_unpack::input::RawTimeslices;
use crate::sts_unpack::survey::{Job, Survey, sum_up, survey};
use crate::sts_unpack::tables::Tables;
use crate::timing::{Laps, Stages};

/// What is to be unpacked.
#[derive(Clone, Copy)]
pub(crate) struct Work<'w> {
    pub(crate) bytes: &'w [u8],
    pub(crate) tables: &'w Tables,
    pub(crate) rules: Rules,
    /// All microslices.
    pub(crate) jobs: &'w [Job],
    /// Of each timeslice how many of them it has.
    pub(crate) timeslices: &'w [TimesliceCounts],
}

impl<'w> Work<'w> {
    /// A microslice, if it is to be unpacked.
    pub(super) fn microslice(&self, job: &'w Job) -> Option<Microslice<'w>> {
        (job.board != Job::NO_BOARD).then(|| Microslice {
            content: &self.bytes[job.begin as usize..][..job.bytes as usize],
            job,
            board: self.tables.of(job.board),
            rules: self.rules,
        })
    }
}

/// A way to do it: puts digis in order at the beginning of a list that has room for one of each
/// message, and says of each microslice what was counted.
pub(crate) type Unpack = fn(&Work<'_>, &mut [MicrosliceCounts], &mut [Digi], &mut Laps);

/// Looks at descriptors, then unpacks; says what was counted of each timeslice.
pub(crate) fn unpack(
    input: &RawTimeslices,
    way: Unpack,
    (jobs, counts): (&mut [Job], &mut [MicrosliceCounts]),
    digis: &mut [Digi],
    laps: &mut Laps,
) -> Vec<TimesliceCounts> {
    laps.start();
    let (data, tables, rules) = (input.data(), input.tables(), input.rules());
    let Survey { jobs, mut timeslices } = survey(data, tables, rules, jobs);
    laps.lap("survey", 0);
    let work = Work { bytes: data.bytes(), tables, rules, jobs, timeslices: &timeslices };
    let counts = &mut counts[..jobs.len()];
    way(&work, counts, digis, laps);
    sum_up(&mut timeslices, counts);
    timeslices
}

/// A way with an input.
pub(super) struct OnHost<'a> {
    input: &'a RawTimeslices,
    arena: &'a Arena,
    unpack: Unpack,
    /// What the last run has counted.
    timeslices: Vec<TimesliceCounts>,
    laps: Laps,
}

pub(crate) struct Held<'a> {
    jobs: ArenaVec<'a, Job>,
    counts: ArenaVec<'a, MicrosliceCounts>,
    digis: ArenaVec<'a, Digi>,
}

buffers!(Held<'_>: jobs, counts, digis);

impl<'a> Held<'a> {
    /// With room for what an input may have.
    pub(crate) fn new(input: &RawTimeslices, arena: &'a Arena) -> Self {
        let data = input.data();
        Held {
            jobs: arena.vector(data.microslices()),
            counts: arena.vector(data.microslices()),
            digis: arena.vector(data.messages() as usize),
        }
    }

    /// Unpacks, and says what was counted of each timeslice.
    pub(crate) fn unpack(
        &mut self,
        input: &RawTimeslices,
        way: Unpack,
        laps: &mut Laps,
    ) -> Vec<TimesliceCounts> {
        let Held { jobs, counts, digis } = self;
        unpack(input, way, (jobs, counts), digis, laps)
    }

    /// What was found, and behind it what was before.
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

impl<'a> OnHost<'a> {
    pub(super) fn new(at: &Opening<'a, '_, StsUnpack>, unpack: Unpack) -> Self {
        let (timeslices, laps) = (Vec::new(), Laps::default());
        OnHost { input: at.input, arena: at.arena, unpack, timeslices, laps }
    }
}

impl<'a> Runner<StsUnpack> for OnHost<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        Ok(Held::new(self.input, self.arena))
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        self.timeslices = held.unpack(self.input, self.unpack, &mut self.laps);
        Ok(())
    }

    fn stages(&self, _: &Held<'a>) -> Stages {
        self.laps.stages()
    }

    fn output<'b>(&'b self, held: &'b Held<'a>) -> Cow<'b, Unpacked> {
        let digis: usize = self.timeslices.iter().map(TimesliceCounts::digis).sum();
        let microslices: u64 = self.timeslices.iter().map(|counts| counts.microslices).sum();
        Cow::Owned(Unpacked {
            timeslices: self.timeslices.clone(),
            microslices: held.counts[..microslices as usize].to_vec(),
            digis: held.digis[..digis].to_vec(),
        })
    }

    fn input_bytes(&self) -> u64 {
        self.input.data().bytes().len() as u64
    }
}
