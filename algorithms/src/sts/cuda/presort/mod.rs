//! Digis to module sides: see the kernels.

mod rows;
mod target;
mod tiles;

use generators::partition::Partition;

use self::rows::Rows;
use self::target::Target;
use self::tiles::Tiles;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};
use crate::sts::Timeslice;

/// How digis are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum PresortWay {
    /// A warp a part of the stream, which has a count for each side in device memory.
    Rows,
    /// A block a tile of the stream, in shared memory; by rows where that is too small.
    Tiles,
}

/// What distributing takes beside the digis.
pub(super) struct Presort {
    way: Way,
    begins: DeviceBuffer<u32>,
    host_begins: PinnedBuffer<u32>,
}

buffers!(Presort: way, begins, host_begins);

enum Way {
    Rows(Rows),
    Tiles(Tiles),
}

buffers!(enum Way: Rows, Tiles);

impl Way {
    fn new(gpu: &Gpu, way: PresortWay, digis: usize, sides: usize) -> Result<Self, DeviceError> {
        if way == PresortWay::Tiles
            && let Some(tiles) = Tiles::new(gpu, sides)?
        {
            return Ok(Way::Tiles(tiles));
        }
        Ok(Way::Rows(Rows::new(gpu, digis, sides)?))
    }
}

impl Presort {
    pub(super) fn new(gpu: &Gpu, input: &Timeslice, way: PresortWay) -> Result<Self, DeviceError> {
        let (digis, sides) = (input.stream().len(), input.sides());
        Ok(Presort {
            way: Way::new(gpu, way, digis, sides)?,
            begins: gpu.buffer(sides + 1)?,
            host_begins: gpu.pinned(sides + 1)?,
        })
    }

    /// Distributes the digis of a stream by the module of each address; waits for where the
    /// sides lie.
    pub(super) fn run(
        &mut self,
        gpu: &Gpu,
        modules: &DeviceBuffer<u32>,
        stream: &DeviceBuffer<u64>,
        digis: &DeviceBuffer<u64>,
    ) -> Result<Partition, DeviceError> {
        let target = Target { stream, modules, begins: &self.begins, digis };
        match &self.way {
            Way::Rows(rows) => rows.start(gpu, target)?,
            Way::Tiles(tiles) => tiles.start(gpu, target)?,
        }
        gpu.download(&mut self.host_begins, &self.begins)?;
        gpu.wait()?;
        let pairs = self.host_begins.windows(2);
        let lengths = pairs.map(|pair| pair[1].saturating_sub(pair[0]) as usize);
        Ok(Partition::from_lengths(lengths))
    }

    /// Where sides begin, and where the last one ends.
    pub(super) fn begins(&self) -> &DeviceBuffer<u32> {
        &self.begins
    }
}
