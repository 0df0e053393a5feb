//! Digis to module sides: see the kernels.

mod of_raw;
mod on_host;
mod rows;
mod target;
mod tiles;

use std::sync::Arc;

use generators::partition::Partition;
use generators::sts::Digi;

pub(super) use self::of_raw::{OfRaw, SidesOfBoards};
use self::on_host::HostPresort;
use self::rows::Rows;
use self::target::Target;
use self::tiles::Tiles;
use super::batch::Batch;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};
use crate::device::{Arena, buffers};
use crate::kernels::sts_tiles::PartTimes;
use crate::sts_sort::cuda::begins;
use crate::sts_unpack::cuda::RawOnGpu;

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
    /// The same buffer, of which only digis of a part are wanted: the times of each module.
    OfPart(&'s DeviceBuffer<u64>, usize, &'s [PartTimes]),
    /// Digis that the host has unpacked.
    OnHost(&'s [Digi]),
    /// Raw data that are still to be unpacked.
    Raw(&'s mut RawOnGpu<'a>, &'s mut OfRaw<'a>),
}

impl<'s> Stream<'s, '_> {
    pub(super) fn copied(digis: &'s DeviceBuffer<u64>, count: usize) -> Self {
        Stream::OfTimeslice(digis, count)
    }
}

/// Buffers for distributing digis.
pub(super) struct Presort<'a> {
    way: Way<'a>,
    begins: DeviceBuffer<u32>,
    host_offsets: PinnedBuffer<u32>,
}

buffers!(Presort<'_>: way, begins, host_offsets);

enum Way<'a> {
    OnHost(HostPresort<'a>),
    Rows(Rows),
    Tiles(Box<Tiles>),
}

buffers!(enum Way<'_>: OnHost, Rows, Tiles);

impl<'a> Way<'a> {
    fn new(
        gpu: &Arc<Gpu>,
        (input, arena): (Batch<'a>, &'a Arena),
        (way, threads): (PresortAlgorithm, usize),
    ) -> Result<Self, DeviceError> {
        if way == PresortAlgorithm::OnHost {
            return Ok(Way::OnHost(HostPresort::new(gpu, (input.only(), arena), threads)?));
        }
        if way == PresortAlgorithm::Tiles
            && let Some(tiles) = Tiles::new(gpu, input)?
        {
            return Ok(Way::Tiles(Box::new(tiles)));
        }
        let input = input.only();
        Ok(Way::Rows(Rows::new(gpu, input.stream().len(), input.sides())?))
    }
}

impl<'a> Presort<'a> {
    /// With `threads` threads if the host distributes digis.
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        (input, arena): (Batch<'a>, &'a Arena),
        (way, threads): (PresortAlgorithm, usize),
    ) -> Result<Self, DeviceError> {
        let sides = input.sides();
        Ok(Presort {
            way: Way::new(gpu, (input, arena), (way, threads))?,
            begins: gpu.buffer(sides + 1)?,
            host_offsets: gpu.pinned(sides + 1)?,
        })
    }

    /// For parts of a timeslice; `None` where there can be none.
    pub(super) fn of_parts(gpu: &Gpu, input: Batch<'a>) -> Result<Option<Self>, DeviceError> {
        let sides = input.sides();
        let Some(tiles) = Tiles::of_parts(gpu, input)? else { return Ok(None) };
        Ok(Some(Presort {
            way: Way::Tiles(Box::new(tiles)),
            begins: gpu.buffer(sides + 1)?,
            host_offsets: gpu.pinned(sides + 1)?,
        }))
    }

    /// True if several timeslices can be distributed together, each over `sides` sides.
    pub(super) fn takes_batches(gpu: &Gpu, way: PresortAlgorithm, sides: usize) -> bool {
        way == PresortAlgorithm::Tiles && Tiles::take_batches(gpu, sides)
    }

    /// True if the device processes the stream in the order of readout.
    pub(super) fn takes_stream(&self) -> bool {
        !matches!(self.way, Way::OnHost(_))
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
            Stream::Raw(raw, of_raw) => {
                raw.unpack(gpu, |work| {
                    of_raw.start(work, (&self.begins, digis))?;
                    gpu.download(&mut self.host_offsets, &self.begins)
                })?;
                return Ok(());
            }
        };
        // A wrong count beyond the capacity must not lead to writes out of bounds.
        let count = count.min(digis.len());
        let target = Target { stream: buffer, count, part, modules, begins: &self.begins, digis };
        match &mut self.way {
            Way::OnHost(host) => {
                let sides = host.start(gpu, unpacked, digis)?;
                let places = self.host_offsets.iter_mut().zip(begins(&sides));
                places.for_each(|(index, begin)| *index = begin);
                return gpu.upload(&self.begins, &self.host_offsets);
            }
            Way::Rows(rows) => rows.start(gpu, target)?,
            Way::Tiles(tiles) => tiles.start(gpu, target)?,
        }
        gpu.download(&mut self.host_offsets, &self.begins)
    }

    /// Partition of digis into sides, after it was copied to the host.
    pub(super) fn sides(&self) -> Partition {
        let pairs = self.host_offsets.windows(2);
        let lengths = pairs.map(|pair| pair[1].saturating_sub(pair[0]) as usize);
        Partition::from_lengths(lengths)
    }

    /// Offsets of sides, with the end of the last one.
    pub(super) fn begins(&self) -> &DeviceBuffer<u32> {
        &self.begins
    }
}
