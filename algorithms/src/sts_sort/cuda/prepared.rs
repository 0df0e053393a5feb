//! A GPU sort with its buffers, ready to run on one input.

use std::borrow::Cow;
use std::sync::Arc;

use generators::sts::{Digi, SegmentedDigis};
use rayon::prelude::*;

use super::{MakeSorter, Sorter};
use crate::algorithm::{Prepared, Stages};
use crate::all_cores::mapped;
use crate::device::gpu::{DeviceError, Gpu, POISON, PinnedBuffer};
use crate::sts_sort::StsSort;

/// Digis that are copied at a time when fresh input is provided.
const PIECE: usize = 1 << 16;

pub(super) struct PreparedCudaSort<'a> {
    make_sorter: MakeSorter,
    input: &'a SegmentedDigis,
    buffers: Option<Buffers>,
    device_bytes: u64,
    gpu: Arc<Gpu>,
}

/// What is held during a run.
struct Buffers {
    /// The digis before and after.
    host: PinnedBuffer<u64>,
    sorter: Box<dyn Sorter>,
}

impl<'a> PreparedCudaSort<'a> {
    pub(super) fn new(make_sorter: MakeSorter, input: &'a SegmentedDigis, gpu: Arc<Gpu>) -> Self {
        PreparedCudaSort {
            make_sorter,
            input,
            buffers: None,
            device_bytes: 0,
            gpu,
        }
    }

    fn buffers(&mut self) -> Result<&mut Buffers, DeviceError> {
        let buffers = match self.buffers.take() {
            Some(buffers) => buffers,
            None => Buffers {
                host: self.gpu.pinned(self.input.digis().len())?,
                sorter: (self.make_sorter)(&self.gpu, self.input.partition())?,
            },
        };
        self.device_bytes = buffers.device_bytes();
        Ok(self.buffers.insert(buffers))
    }
}

impl Buffers {
    fn device_bytes(&self) -> u64 {
        let arrays = self.sorter.arrays();
        let in_arrays: u64 = arrays.iter().map(|array| array.bytes()).sum();
        in_arrays + self.sorter.bytes_of_tables()
    }
}

impl Prepared<StsSort> for PreparedCudaSort<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        let input = self.input;
        let host = &mut self.buffers()?.host;
        let pieces = host.par_chunks_mut(PIECE);
        let sources = input.digis().par_chunks(PIECE);
        pieces.zip(sources).for_each(|(piece, source)| {
            for (bits, digi) in piece.iter_mut().zip(source) {
                *bits = digi.bits();
            }
        });
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        for array in self.buffers.iter().flat_map(|held| held.sorter.arrays()) {
            self.gpu.fill(array, POISON)?;
        }
        self.gpu.finish()
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let gpu = Arc::clone(&self.gpu);
        let Buffers { host, sorter } = self.buffers()?;
        gpu.upload(sorter.digis(), host)?;
        sorter.sort(&gpu)?;
        gpu.download(host, sorter.sorted())?;
        gpu.finish()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn output(&self) -> Cow<'_, Vec<Digi>> {
        let bits = self.buffers.as_ref().map(|held| &held.host[..]);
        Cow::Owned(mapped(bits.unwrap_or_default(), |&bits| {
            Digi::from_bits(bits)
        }))
    }

    fn release(&mut self) {
        self.buffers = None;
    }

    fn buffer_bytes(&self) -> u64 {
        self.device_bytes
    }
}
