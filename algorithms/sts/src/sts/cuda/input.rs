//! Input of a chain: digis in the order of readout, or raw data.

use generators_sts::raw::TimesliceCounts;
use portable_gpu::timing::Laps;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use super::batch::Batch;
use super::config::{ChainConfig, UnpackAlgorithm};
use super::presort::{PresortAlgorithm, RawPresort, SidesOfBoards, Stream};
use crate::sts::Timeslice;
use crate::sts_unpack::RawTimeslices;
use crate::sts_unpack::cpu::{self, HostBuffers};
use crate::sts_unpack::cuda::{EPOCH_PARALLEL, RawOnGpu, RawToStream, TILES};
use tasks::device::{Execution, PinnedInput, buffers};

/// Kind of a chain's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum InputKind {
    Digis,
    Raw,
}

/// Input of a chain, and the number of digis found in raw data.
pub(super) enum ChainInput<'a> {
    /// Digis of each timeslice.
    Digis(Vec<PinnedInput<'a, u64>>),
    RawOnHost(HostRaw<'a>, usize),
    RawOnDevice(Box<RawToStream<'a>>, usize),
    RawToSides(Box<(RawOnGpu<'a>, RawPresort<'a>)>),
}

/// Raw data that the host unpacks.
pub(super) struct HostRaw<'a> {
    input: &'a RawTimeslices,
    buffers: HostBuffers<'a>,
}

buffers!(HostRaw<'_>: buffers);

impl tasks::device::Buffers for ChainInput<'_> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        match self {
            ChainInput::Digis(stream) => stream.poison(),
            ChainInput::RawOnHost(raw, _) => raw.poison(),
            ChainInput::RawOnDevice(raw, _) => raw.poison(),
            ChainInput::RawToSides(raw) => {
                raw.0.poison()?;
                raw.1.poison()
            }
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            ChainInput::Digis(stream) => stream.bytes(),
            ChainInput::RawOnHost(raw, _) => raw.bytes(),
            ChainInput::RawOnDevice(raw, _) => raw.bytes(),
            ChainInput::RawToSides(raw) => raw.0.bytes() + raw.1.bytes(),
        }
    }
}

impl<'a> ChainInput<'a> {
    /// Raw data only where the timeslice has some, and is the only one.
    pub(super) fn new(
        execution: Execution<'_, 'a>,
        batch: Batch<'a>,
        config: ChainConfig,
        kind: InputKind,
    ) -> Result<Self, DeviceError> {
        if kind == InputKind::Raw
            && let [input] = batch.timeslices()
            && let Some(raw) = input.raw()
        {
            return Self::from_raw(execution, raw, input.modules(), config);
        }
        let Execution { gpu, arena, .. } = execution;
        let stream = |timeslice: &'a Timeslice| {
            PinnedInput::converted(arena, gpu, timeslice.stream(), |digi| digi.bits())
        };
        Ok(ChainInput::Digis(batch.timeslices().iter().map(stream).collect::<Result<_, _>>()?))
    }

    /// Input from raw data, for a detector with `modules` modules.
    fn from_raw(
        execution: Execution<'_, 'a>,
        raw: &'a RawTimeslices,
        modules: usize,
        config: ChainConfig,
    ) -> Result<Self, DeviceError> {
        if config.presort == PresortAlgorithm::OnHost {
            let buffers = HostBuffers::new(raw, execution.arena);
            return Ok(ChainInput::RawOnHost(HostRaw { input: raw, buffers }, 0));
        }
        let make = match config.unpack {
            UnpackAlgorithm::EpochParallel => EPOCH_PARALLEL,
            UnpackAlgorithm::ToSides => {
                if let Some(boards) = SidesOfBoards::new(raw, modules) {
                    let sides = 2 * modules;
                    let raw_presort =
                        |jobs: &[_]| RawPresort::new(execution, raw, &boards, sides, jobs);
                    let both = RawOnGpu::new(execution, raw, raw_presort)?;
                    return Ok(ChainInput::RawToSides(Box::new(both)));
                }
                TILES
            }
        };
        let raw = RawToStream::new(execution, raw, make)?;
        Ok(ChainInput::RawOnDevice(Box::new(raw), 0))
    }

    /// True if raw data are unpacked to a stream of digis first.
    pub(super) fn unpacks(&self) -> bool {
        matches!(self, ChainInput::RawOnHost(..) | ChainInput::RawOnDevice(..))
    }

    /// Unpacks the copied data.
    pub(super) fn unpack(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let sum = |counted: Vec<TimesliceCounts>| counted.iter().map(TimesliceCounts::digis).sum();
        match self {
            ChainInput::Digis(_) | ChainInput::RawToSides(_) => {}
            ChainInput::RawOnHost(HostRaw { input, buffers }, found) => {
                let mut laps = Laps::default();
                *found = sum(gpu.host_stage(|| buffers.unpack(input, cpu::PUBLISHED, &mut laps)));
            }
            ChainInput::RawOnDevice(raw, found) => *found = sum(raw.unpack(gpu)?),
        }
        Ok(())
    }

    /// Input of presort: `copied` has digis in the order of readout.
    pub(super) fn stream<'s>(&'s mut self, copied: &'s DeviceBuffer<u64>) -> Stream<'s, 'a> {
        match self {
            ChainInput::RawToSides(raw) => Stream::Raw(&mut raw.0, &mut raw.1),
            ChainInput::Digis(_) => Stream::copied(copied, copied.len()),
            ChainInput::RawOnHost(raw, found) => Stream::OnHost(&raw.buffers.digis()[..*found]),
            ChainInput::RawOnDevice(raw, found) => Stream::copied(raw.digis(), *found),
        }
    }
}
