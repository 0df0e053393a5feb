//! Storage of the words, and their movement between host and device.

use std::hint::black_box;

use super::Kind;
use crate::all_cores::copy;
use crate::device::gpu::{
    DeviceBuffer, DeviceError, Gpu, ManagedBuffer, MappedBuffer, PinnedBuffer, Ptr, Side,
};
use crate::device::{Arena, ArenaVec, buffers};
use crate::parallel::{Grain, for_each_range};

/// Minimum size of a page of managed memory in bytes.
const PAGE: usize = 4096;
/// Words of a page.
const WORDS_OF_PAGE: usize = PAGE / size_of::<u32>();

/// Words in a kind of memory.
pub(super) enum Storage<'a> {
    /// On the device throughout; copied to the host for its steps.
    Device(BothSides<PinnedBuffer<u32>>),
    Pageable(BothSides<ArenaVec<'a, u32>>),
    Pinned(BothSides<PinnedBuffer<u32>>),
    Mapped(MappedBuffer<u32>),
    Managed(ManagedBuffer<u32>),
    ManagedPrefetched(ManagedBuffer<u32>),
}

/// A buffer on each side.
pub(super) struct BothSides<H> {
    on_device: DeviceBuffer<u32>,
    on_host: H,
}

buffers!(BothSides<PinnedBuffer<u32>>: on_device, on_host);
buffers!(BothSides<ArenaVec<'_, u32>>: on_device, on_host);
buffers!(enum Storage<'_>: Device, Pageable, Pinned, Mapped, Managed, ManagedPrefetched);

impl<'a> Storage<'a> {
    pub(super) fn new(
        kind: Kind,
        gpu: &Gpu,
        arena: &'a Arena,
        count: usize,
    ) -> Result<Self, DeviceError> {
        let pinned =
            || Ok(BothSides { on_device: gpu.buffer(count)?, on_host: gpu.pinned(count)? });
        Ok(match kind {
            Kind::Device => Storage::Device(pinned()?),
            Kind::Pinned => Storage::Pinned(pinned()?),
            Kind::Pageable => Storage::Pageable(BothSides {
                on_device: gpu.buffer(count)?,
                on_host: arena.vector(count),
            }),
            Kind::Mapped => Storage::Mapped(gpu.mapped(count)?),
            Kind::Managed => Storage::Managed(gpu.managed(count)?),
            Kind::ManagedPrefetched => Storage::ManagedPrefetched(gpu.managed(count)?),
        })
    }

    /// Stores fresh words on the side where they are before a run.
    pub(super) fn load(&mut self, gpu: &Gpu, words: &[u32]) -> Result<(), DeviceError> {
        match self {
            Storage::Device(both) => {
                copy(&mut both.on_host, words);
                gpu.upload(&both.on_device, &both.on_host)?;
                return gpu.finish();
            }
            Storage::Pinned(both) => copy(&mut both.on_host, words),
            Storage::Pageable(both) => copy(&mut both.on_host, words),
            Storage::Mapped(memory) => copy(memory, words),
            Storage::Managed(memory) | Storage::ManagedPrefetched(memory) => copy(memory, words),
        }
        Ok(())
    }

    /// Pointer for kernels.
    pub(super) fn ptr(&self) -> Ptr<u32> {
        match self {
            Storage::Device(both) | Storage::Pinned(both) => both.on_device.ptr(),
            Storage::Pageable(both) => both.on_device.ptr(),
            Storage::Mapped(memory) => memory.ptr(),
            Storage::Managed(memory) | Storage::ManagedPrefetched(memory) => memory.ptr(),
        }
    }

    /// Moves the words to the device at the start of a run.
    pub(super) fn start(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        match self {
            Storage::Device(_) => Ok(()),
            _ => self.for_device(gpu),
        }
    }

    /// Moves the words to the device after a step of the host.
    pub(super) fn for_device(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        match self {
            Storage::Device(both) | Storage::Pinned(both) => {
                gpu.upload(&both.on_device, &both.on_host)
            }
            Storage::Pageable(both) => gpu.upload(&both.on_device, &*both.on_host),
            Storage::Mapped(_) | Storage::Managed(_) => Ok(()),
            Storage::ManagedPrefetched(memory) => gpu.prefetch(memory, Side::Device),
        }
    }

    /// Moves the words to the host after a step of the device; returns them once they are there.
    pub(super) fn for_host(&mut self, gpu: &Gpu) -> Result<&mut [u32], DeviceError> {
        match self {
            Storage::Device(both) | Storage::Pinned(both) => {
                gpu.download(&mut both.on_host, &both.on_device)?;
                gpu.wait()?;
                Ok(&mut both.on_host)
            }
            Storage::Pageable(both) => {
                gpu.download(&mut *both.on_host, &both.on_device)?;
                gpu.wait()?;
                Ok(&mut both.on_host)
            }
            Storage::Mapped(memory) => {
                gpu.wait()?;
                Ok(memory)
            }
            Storage::Managed(memory) => {
                gpu.wait()?;
                Ok(memory)
            }
            Storage::ManagedPrefetched(memory) => {
                gpu.prefetch(memory, Side::Host)?;
                gpu.wait()?;
                Ok(memory)
            }
        }
    }

    /// Moves the words back to the host at the finish of a run. Pages that migrate on access are
    /// touched.
    pub(super) fn finish(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let migrates_on_access = matches!(self, Storage::Managed(_));
        if matches!(self, Storage::Device(_)) {
            return gpu.wait();
        }
        let words = self.for_host(gpu)?;
        if migrates_on_access {
            gpu.host_stage(|| touch(words));
        }
        Ok(())
    }

    /// Returns all words, untimed.
    pub(super) fn read_back(&mut self, gpu: &Gpu) -> Result<Vec<u32>, DeviceError> {
        match self {
            Storage::Device(both) => gpu.read_back(&both.on_device, 0..both.on_device.len()),
            Storage::Pinned(both) => Ok(both.on_host.to_vec()),
            Storage::Pageable(both) => Ok(both.on_host.clone()),
            Storage::Mapped(memory) => Ok(memory.to_vec()),
            Storage::Managed(memory) | Storage::ManagedPrefetched(memory) => Ok(memory.to_vec()),
        }
    }
}

/// Reads a word of each page.
fn touch(words: &[u32]) {
    for_each_range(words.len().div_ceil(WORDS_OF_PAGE), Grain::Adaptive, |pages| {
        let first = pages.map(|page| words[page * WORDS_OF_PAGE]);
        black_box(first.fold(0, u32::wrapping_add));
    });
}
