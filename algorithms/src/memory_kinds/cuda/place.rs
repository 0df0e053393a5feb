//! Where words are, and how they get from one side to the other.

use std::hint::black_box;

use super::Kind;
use crate::all_cores::copy;
use crate::device::gpu::{
    DeviceBuffer, DeviceError, Gpu, ManagedBuffer, MappedBuffer, PinnedBuffer, Ptr, Side,
};
use crate::device::{Arena, ArenaVec, buffers};
use crate::parallel::{Grain, for_each_range};

/// Bytes of a page of managed memory at least.
const PAGE: usize = 4096;
/// Words of it.
const WORDS_OF_PAGE: usize = PAGE / size_of::<u32>();

/// Words in memory of a kind.
pub(super) enum Place<'a> {
    /// On the device throughout; on the host for its turns.
    Device(OnBoth<PinnedBuffer<u32>>),
    Pageable(OnBoth<ArenaVec<'a, u32>>),
    Pinned(OnBoth<PinnedBuffer<u32>>),
    Mapped(MappedBuffer<u32>),
    Managed(ManagedBuffer<u32>),
    ManagedPrefetched(ManagedBuffer<u32>),
}

/// A place on each side.
pub(super) struct OnBoth<H> {
    on_device: DeviceBuffer<u32>,
    on_host: H,
}

buffers!(OnBoth<PinnedBuffer<u32>>: on_device, on_host);
buffers!(OnBoth<ArenaVec<'_, u32>>: on_device, on_host);
buffers!(enum Place<'_>: Device, Pageable, Pinned, Mapped, Managed, ManagedPrefetched);

impl<'a> Place<'a> {
    pub(super) fn new(
        kind: Kind,
        gpu: &Gpu,
        arena: &'a Arena,
        count: usize,
    ) -> Result<Self, DeviceError> {
        let pinned = || Ok(OnBoth { on_device: gpu.buffer(count)?, on_host: gpu.pinned(count)? });
        Ok(match kind {
            Kind::Device => Place::Device(pinned()?),
            Kind::Pinned => Place::Pinned(pinned()?),
            Kind::Pageable => Place::Pageable(OnBoth {
                on_device: gpu.buffer(count)?,
                on_host: arena.vector(count),
            }),
            Kind::Mapped => Place::Mapped(gpu.mapped(count)?),
            Kind::Managed => Place::Managed(gpu.managed(count)?),
            Kind::ManagedPrefetched => Place::ManagedPrefetched(gpu.managed(count)?),
        })
    }

    /// Fresh words, where they are before a run.
    pub(super) fn load(&mut self, gpu: &Gpu, words: &[u32]) -> Result<(), DeviceError> {
        match self {
            Place::Device(both) => {
                copy(&mut both.on_host, words);
                gpu.upload(&both.on_device, &both.on_host)?;
                return gpu.finish();
            }
            Place::Pinned(both) => copy(&mut both.on_host, words),
            Place::Pageable(both) => copy(&mut both.on_host, words),
            Place::Mapped(place) => copy(place, words),
            Place::Managed(place) | Place::ManagedPrefetched(place) => copy(place, words),
        }
        Ok(())
    }

    /// Where kernels find the words.
    pub(super) fn ptr(&self) -> Ptr<u32> {
        match self {
            Place::Device(both) | Place::Pinned(both) => both.on_device.ptr(),
            Place::Pageable(both) => both.on_device.ptr(),
            Place::Mapped(place) => place.ptr(),
            Place::Managed(place) | Place::ManagedPrefetched(place) => place.ptr(),
        }
    }

    /// Words go to the device.
    pub(super) fn begin(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        match self {
            Place::Device(_) => Ok(()),
            _ => self.for_device(gpu),
        }
    }

    /// The device's turn after the host's.
    pub(super) fn for_device(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        match self {
            Place::Device(both) | Place::Pinned(both) => gpu.upload(&both.on_device, &both.on_host),
            Place::Pageable(both) => gpu.upload(&both.on_device, &*both.on_host),
            Place::Mapped(_) | Place::Managed(_) => Ok(()),
            Place::ManagedPrefetched(place) => gpu.prefetch(place, Side::Device),
        }
    }

    /// The host's turn after the device's: the words, once they are there.
    pub(super) fn for_host(&mut self, gpu: &Gpu) -> Result<&mut [u32], DeviceError> {
        match self {
            Place::Device(both) | Place::Pinned(both) => {
                gpu.download(&mut both.on_host, &both.on_device)?;
                gpu.wait()?;
                Ok(&mut both.on_host)
            }
            Place::Pageable(both) => {
                gpu.download(&mut *both.on_host, &both.on_device)?;
                gpu.wait()?;
                Ok(&mut both.on_host)
            }
            Place::Mapped(place) => {
                gpu.wait()?;
                Ok(place)
            }
            Place::Managed(place) => {
                gpu.wait()?;
                Ok(place)
            }
            Place::ManagedPrefetched(place) => {
                gpu.prefetch(place, Side::Host)?;
                gpu.wait()?;
                Ok(place)
            }
        }
    }

    /// Words come back to the host. Pages that move when they are touched are.
    pub(super) fn end(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let moves_when_touched = matches!(self, Place::Managed(_));
        if matches!(self, Place::Device(_)) {
            return gpu.wait();
        }
        let words = self.for_host(gpu)?;
        if moves_when_touched {
            gpu.on_host(|| touch(words));
        }
        Ok(())
    }

    /// All words, outside the clock.
    pub(super) fn found(&mut self, gpu: &Gpu) -> Result<Vec<u32>, DeviceError> {
        match self {
            Place::Device(both) => gpu.fetched(&both.on_device, 0..both.on_device.len()),
            Place::Pinned(both) => Ok(both.on_host.to_vec()),
            Place::Pageable(both) => Ok(both.on_host.clone()),
            Place::Mapped(place) => Ok(place.to_vec()),
            Place::Managed(place) | Place::ManagedPrefetched(place) => Ok(place.to_vec()),
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
