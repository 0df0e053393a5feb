//! A GPU sort with its buffers, ready to run on one input.

use std::borrow::Cow;
use std::sync::Arc;

use generators::sts::{Digi, SegmentedDigis};

use super::{MakeSorter, Sorter};
use crate::algorithm::{Prepared, Stages};
use crate::all_cores::{fill, mapped};
use crate::device::Arena;
use crate::device::gpu::{DeviceError, Gpu, POISON, PinnedBuffer, Pristine};
use crate::sts_sort::StsSort;

pub(super) struct PreparedCudaSort<'a> {
    make_sorter: MakeSorter,
    input: &'a SegmentedDigis,
    arena: &'a Arena,
    buffers: Option<Buffers>,
    device_bytes: u64,
    gpu: Arc<Gpu>,
}

/// What is held during a run.
struct Buffers {
    /// The digis before.
    unsorted: Pristine<u64>,
    /// And after.
    sorted: PinnedBuffer<u64>,
    sorter: Box<dyn Sorter>,
}

impl<'a> PreparedCudaSort<'a> {
    pub(super) fn new(
        make_sorter: MakeSorter,
        (input, arena): (&'a SegmentedDigis, &'a Arena),
        gpu: Arc<Gpu>,
    ) -> Self {
        PreparedCudaSort {
            make_sorter,
            input,
            arena,
            buffers: None,
            device_bytes: 0,
            gpu,
        }
    }

    fn buffers(&mut self) -> Result<&mut Buffers, DeviceError> {
        let buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => Buffers::new(self.make_sorter, (self.input, self.arena), &self.gpu)?,
        };
        self.device_bytes = buffers.device_bytes();
        Ok(self.buffers.insert(buffers))
    }
}

impl Buffers {
    fn new(
        make_sorter: MakeSorter,
        (input, arena): (&SegmentedDigis, &Arena),
        gpu: &Arc<Gpu>,
    ) -> Result<Self, DeviceError> {
        let digis = input.digis();
        Ok(Buffers {
            unsorted: Pristine::converted(arena, gpu, digis, |digi| digi.bits())?,
            sorted: gpu.pinned(digis.len())?,
            sorter: make_sorter(gpu, input.partition())?,
        })
    }

    fn device_bytes(&self) -> u64 {
        let arrays = self.sorter.arrays();
        let in_arrays: u64 = arrays.iter().map(|array| array.bytes()).sum();
        in_arrays + self.sorter.bytes_of_tables()
    }
}

impl Prepared<StsSort> for PreparedCudaSort<'_> {
    /// Runs do not change the digis before, so they are provided once.
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.buffers().map(drop)
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        if let Some(Buffers { sorted, sorter, .. }) = &mut self.buffers {
            fill(sorted, u64::from_ne_bytes([POISON; 8]));
            for array in sorter.arrays() {
                self.gpu.fill(array, POISON)?;
            }
        }
        self.gpu.finish()
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let gpu = Arc::clone(&self.gpu);
        let Buffers {
            unsorted,
            sorted,
            sorter,
        } = self.buffers()?;
        gpu.upload(sorter.digis(), unsorted)?;
        sorter.sort(&gpu)?;
        gpu.download(sorted, sorter.sorted())?;
        gpu.finish()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn output(&self) -> Cow<'_, Vec<Digi>> {
        let bits = self.buffers.as_ref().map(|held| &held.sorted[..]);
        Cow::Owned(mapped(bits.unwrap_or_default(), |&bits| {
            Digi::from_bits(bits)
        }))
    }

    fn release(&mut self) {
        if let Some(held) = self.buffers.take() {
            held.unsorted.give(self.arena);
        }
    }

    fn buffer_bytes(&self) -> u64 {
        self.device_bytes
    }
}
