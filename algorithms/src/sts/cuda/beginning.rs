//! What a chain begins with: digis as they are read out, or raw data.

use std::sync::Arc;

use generators::sts::raw::TimesliceCounts;

use super::batch::Batch;
use super::config::ChainConfig;
use super::presort::{OfRaw, PresortWay, SidesOfBoards, Stream};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Pristine};
use crate::device::{Arena, buffers};
use crate::sts::Timeslice;
use crate::sts_unpack::RawTimeslices;
use crate::sts_unpack::cpu::{self, Held};
use crate::sts_unpack::cuda::{EPOCH_PARALLEL, RawOnGpu, RawToStream, TILES};
use crate::timing::Laps;

/// How raw data are unpacked, unless the host presorts and so unpacks too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum UnpackWay {
    /// As published.
    EpochParallel,
    /// Ours: digis go to their sides, which is presort. Where e-links don't tell the side there is a
    /// stream in between.
    ToSides,
}

/// What a chain is to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum Start {
    Digis,
    Raw,
}

/// What it begins with, and how many digis were found in raw data.
pub(super) enum Beginning<'a> {
    /// Those of each timeslice.
    Digis(Vec<Pristine<'a, u64>>),
    RawOnHost(HostRaw<'a>, usize),
    RawOnDevice(Box<RawToStream<'a>>, usize),
    RawToSides(Box<(RawOnGpu<'a>, OfRaw<'a>)>),
}

/// Raw data that the host unpacks.
pub(super) struct HostRaw<'a> {
    input: &'a RawTimeslices,
    held: Held<'a>,
}

buffers!(HostRaw<'_>: held);

impl crate::device::Buffers for Beginning<'_> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        match self {
            Beginning::Digis(stream) => stream.poison(),
            Beginning::RawOnHost(raw, _) => raw.poison(),
            Beginning::RawOnDevice(raw, _) => raw.poison(),
            Beginning::RawToSides(raw) => {
                raw.0.poison()?;
                raw.1.poison()
            }
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Beginning::Digis(stream) => stream.bytes(),
            Beginning::RawOnHost(raw, _) => raw.bytes(),
            Beginning::RawOnDevice(raw, _) => raw.bytes(),
            Beginning::RawToSides(raw) => raw.0.bytes() + raw.1.bytes(),
        }
    }
}

impl<'a> Beginning<'a> {
    /// Raw data only where the timeslice has some, and is the only one.
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        (batch, arena): (Batch<'a>, &'a Arena),
        (ways, start): (ChainConfig, Start),
    ) -> Result<Self, DeviceError> {
        if start == Start::Raw
            && let [input] = batch.timeslices()
            && let Some(raw) = input.raw()
        {
            return Self::of_raw(gpu, (raw, arena, input.modules()), ways);
        }
        let stream = |timeslice: &'a Timeslice| {
            Pristine::converted(arena, gpu, timeslice.stream(), |digi| digi.bits())
        };
        Ok(Beginning::Digis(batch.timeslices().iter().map(stream).collect::<Result<_, _>>()?))
    }

    /// Of a detector with so many modules.
    fn of_raw(
        gpu: &Arc<Gpu>,
        (raw, arena, modules): (&'a RawTimeslices, &'a Arena, usize),
        ways: ChainConfig,
    ) -> Result<Self, DeviceError> {
        if ways.presort == PresortWay::OnHost {
            return Ok(Beginning::RawOnHost(
                HostRaw { input: raw, held: Held::new(raw, arena) },
                0,
            ));
        }
        let make = match ways.unpack {
            UnpackWay::EpochParallel => EPOCH_PARALLEL,
            UnpackWay::ToSides => {
                if let Some(boards) = SidesOfBoards::new(raw, modules) {
                    let sides = (&boards, 2 * modules);
                    let of_raw = |jobs: &[_]| OfRaw::new(gpu, (raw, arena), sides, jobs);
                    let both = RawOnGpu::new(gpu, (raw, arena), of_raw)?;
                    return Ok(Beginning::RawToSides(Box::new(both)));
                }
                TILES
            }
        };
        let raw = RawToStream::new(gpu, (raw, arena), make)?;
        Ok(Beginning::RawOnDevice(Box::new(raw), 0))
    }

    /// Whether raw data become a stream of digis first.
    pub(super) fn unpacks(&self) -> bool {
        matches!(self, Beginning::RawOnHost(..) | Beginning::RawOnDevice(..))
    }

    /// Unpacks what was copied.
    pub(super) fn unpack(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let sum = |counted: Vec<TimesliceCounts>| counted.iter().map(TimesliceCounts::digis).sum();
        match self {
            Beginning::Digis(_) | Beginning::RawToSides(_) => {}
            Beginning::RawOnHost(HostRaw { input, held }, found) => {
                let mut laps = Laps::default();
                *found = sum(gpu.on_host(|| held.unpack(input, cpu::PUBLISHED, &mut laps)));
            }
            Beginning::RawOnDevice(raw, found) => *found = sum(raw.unpack(gpu)?),
        }
        Ok(())
    }

    /// What is to be presorted: `copied` has digis as they are read out.
    pub(super) fn stream<'s>(&'s mut self, copied: &'s DeviceBuffer<u64>) -> Stream<'s, 'a> {
        match self {
            Beginning::RawToSides(raw) => Stream::Raw(&mut raw.0, &mut raw.1),
            Beginning::Digis(_) => Stream::copied(copied, copied.len()),
            Beginning::RawOnHost(raw, found) => Stream::OnHost(&raw.held.digis()[..*found]),
            Beginning::RawOnDevice(raw, found) => Stream::copied(raw.digis(), *found),
        }
    }
}
