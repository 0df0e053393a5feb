//! Digis to module sides: see the kernels.

mod from_raw;
mod on_host;
mod rows;
mod target;
mod tiles;

use generators_common::partition::Partition;
use generators_sts::Digi;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};

pub(super) use self::from_raw::{RawPresort, SidesOfBoards};
use self::on_host::HostPresort;
use self::rows::Rows;
use self::target::Target;
use self::tiles::Tiles;
use super::batch::Batch;
use crate::kernels::sts_tiles::PartTimes;
use crate::sts_sort::cuda::segment_offsets;
use crate::sts_unpack::cuda::RawOnGpu;
use tasks::device::{Execution, buffers};

/// Algorithm that distributes digis over sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum PresortAlgorithm {
    /// The host's threads, before digis are copied.
    OnHost,
    /// A warp for each part of the stream, with a count for each side in device memory.
    Rows,
    /// A block for each tile of the stream, in shared memory; as `Rows` if that is too small.
    Tiles,
}

/// Digis as they are read out.
pub(super) enum Stream<'s, 'a> {
    /// The first digis of a buffer on the device, with their number; or on the host if that
    /// distributes them.
    OfTimeslice(&'s DeviceBuffer<u64>, usize),
    /// The first digis of a buffer on the device, with their number, of which only those of a part
    /// are wanted: the times of each module.
    OfPart(&'s DeviceBuffer<u64>, usize, &'s [PartTimes]),
    /// Digis that the host has unpacked.
    OnHost(&'s [Digi]),
    /// Raw data that are still to be unpacked.
    Raw(&'s mut RawOnGpu<'a>, &'s mut RawPresort<'a>),
}

impl<'s> Stream<'s, '_> {
    pub(super) fn copied(digis: &'s DeviceBuffer<u64>, count: usize) -> Self {
        Stream::OfTimeslice(digis, count)
    }
}

/// Distribution for distributing digis.
pub(super) struct Presort<'a> {
    buffers: Distribution<'a>,
    side_offsets: DeviceBuffer<u32>,
    host_offsets: PinnedBuffer<u32>,
}

buffers!(Presort<'_>: buffers, side_offsets, host_offsets);

/// Buffers of the chosen algorithm.
enum Distribution<'a> {
    OnHost(HostPresort<'a>),
    Rows(Rows),
    Tiles(Box<Tiles>),
}

buffers!(enum Distribution<'_>: OnHost, Rows, Tiles);

impl<'a> Distribution<'a> {
    fn new(
        execution: Execution<'_, 'a>,
        batch: Batch<'a>,
        algorithm: PresortAlgorithm,
    ) -> Result<Self, DeviceError> {
        let gpu = execution.gpu;
        if algorithm == PresortAlgorithm::OnHost {
            return Ok(Distribution::OnHost(HostPresort::new(execution, batch.only())?));
        }
        if algorithm == PresortAlgorithm::Tiles
            && let Some(tiles) = Tiles::new(gpu, batch)?
        {
            return Ok(Distribution::Tiles(Box::new(tiles)));
        }
        let input = batch.only();
        Ok(Distribution::Rows(Rows::new(gpu, input.stream().len(), input.sides())?))
    }
}

impl<'a> Presort<'a> {
    /// Distribution to distribute the digis of a batch.
    pub(super) fn new(
        execution: Execution<'_, 'a>,
        batch: Batch<'a>,
        algorithm: PresortAlgorithm,
    ) -> Result<Self, DeviceError> {
        let gpu = execution.gpu;
        let sides = batch.sides();
        Ok(Presort {
            buffers: Distribution::new(execution, batch, algorithm)?,
            side_offsets: gpu.buffer(sides + 1)?,
            host_offsets: gpu.pinned(sides + 1)?,
        })
    }

    /// For parts of a timeslice; `None` where there can be none.
    pub(super) fn for_parts(gpu: &Gpu, batch: Batch<'a>) -> Result<Option<Self>, DeviceError> {
        let sides = batch.sides();
        let Some(tiles) = Tiles::for_parts(gpu, batch)? else { return Ok(None) };
        Ok(Some(Presort {
            buffers: Distribution::Tiles(Box::new(tiles)),
            side_offsets: gpu.buffer(sides + 1)?,
            host_offsets: gpu.pinned(sides + 1)?,
        }))
    }

    /// True if several timeslices can be distributed together, each over `sides` sides.
    pub(super) fn takes_batches(gpu: &Gpu, algorithm: PresortAlgorithm, sides: usize) -> bool {
        algorithm == PresortAlgorithm::Tiles && Tiles::take_batches(gpu, sides)
    }

    /// True if the device processes the stream in the order of readout.
    pub(super) fn takes_stream(&self) -> bool {
        !matches!(self.buffers, Distribution::OnHost(_))
    }

    /// Starts to distribute the digis of a stream by the module of each address. The partition into
    /// sides is known once that has ended.
    pub(super) fn start(
        &mut self,
        gpu: &Gpu,
        modules: &DeviceBuffer<u32>,
        stream: Stream<'_, '_>,
        digis: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        let mut part = None;
        let (buffer, count, unpacked) = match stream {
            Stream::OfTimeslice(buffer, count) => (buffer, count, None),
            Stream::OfPart(buffer, count, times) => {
                part = Some(times);
                (buffer, count, None)
            }
            Stream::OnHost(unpacked) => (digis, 0, Some(unpacked)),
            Stream::Raw(raw, raw_presort) => {
                raw.unpack(gpu, |pass| {
                    raw_presort.start(pass, &self.side_offsets, digis)?;
                    gpu.download(&mut self.host_offsets, &self.side_offsets)
                })?;
                return Ok(());
            }
        };
        // A wrong count beyond the capacity must not lead to writes out of bounds.
        let count = count.min(digis.len());
        let target = Target {
            stream: buffer,
            count,
            part,
            modules,
            side_offsets: &self.side_offsets,
            digis,
        };
        match &mut self.buffers {
            Distribution::OnHost(host) => {
                let sides = host.start(gpu, unpacked, digis)?;
                let offsets = self.host_offsets.iter_mut().zip(segment_offsets(&sides));
                offsets.for_each(|(index, begin)| *index = begin);
                return gpu.upload(&self.side_offsets, &self.host_offsets);
            }
            Distribution::Rows(rows) => rows.start(gpu, target)?,
            Distribution::Tiles(tiles) => tiles.start(gpu, target)?,
        }
        gpu.download(&mut self.host_offsets, &self.side_offsets)
    }

    /// Partition of digis into sides, after it was copied to the host.
    pub(super) fn sides(&self) -> Partition {
        let pairs = self.host_offsets.windows(2);
        let lengths = pairs.map(|pair| pair[1].saturating_sub(pair[0]) as usize);
        Partition::from_lengths(lengths)
    }

    /// Offsets of sides, with the end of the last one.
    pub(super) fn side_offsets(&self) -> &DeviceBuffer<u32> {
        &self.side_offsets
    }
}
