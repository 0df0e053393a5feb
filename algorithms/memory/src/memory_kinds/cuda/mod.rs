//! Words in all kinds of memory that a GPU can access.

use std::borrow::Cow;
use std::hint::black_box;

use parallel::{Grain, copy, for_each_range};
use portable_gpu::{
    DeviceBuffer, DeviceError, Gpu, LaunchConfig, ManagedBuffer, MappedBuffer, PinnedBuffer, Ptr,
    Side,
};

use super::cpu::change;
use super::{MemoryKinds, Words};
use crate::kernels::memory_kinds_change::{CHANGE_WORDS, ChangeWords, WORDS_OF_VECTOR};
use tasks::algorithm::{CheckError, GpuRunner, GpuTask, PrepareResult, Variant, VariantContext};
use tasks::device::{Arena, ArenaVec, Unavailable, buffers};

/// Blocks for each multiprocessor.
const BLOCKS: u32 = 8;

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Device,
    Pageable,
    Pinned,
    Mapped,
    Managed,
    ManagedPrefetched,
}

const fn variant(
    name: &'static str,
    summary: &'static str,
    prepare: tasks::algorithm::Prepare<MemoryKinds>,
) -> Variant<MemoryKinds> {
    Variant::cuda(name, summary, prepare)
}

pub(super) const VARIANTS: &[Variant<MemoryKinds>] = &[
    variant(
        "device",
        "words are on the device before and after; copied for the host's turns",
        |at| prepare_on_gpu(at, Kind::Device),
    ),
    variant("pageable", "copies from and to ordinary memory of the host", |at| {
        prepare_on_gpu(at, Kind::Pageable)
    }),
    variant("pinned", "copies from and to page-locked memory of the host", |at| {
        prepare_on_gpu(at, Kind::Pinned)
    }),
    variant("mapped", "kernels reach page-locked memory of the host over the link", |at| {
        prepare_on_gpu(at, Kind::Mapped)
    }),
    variant("managed", "managed memory: pages move when either side touches them", |at| {
        prepare_on_gpu(at, Kind::Managed)
    }),
    variant(
        "managed-prefetched",
        "managed memory, moved as a whole before either side's turn",
        |at| prepare_on_gpu(at, Kind::ManagedPrefetched),
    ),
];

/// Words in a kind of memory.
struct MemoryBuffers<'a> {
    storage: Storage<'a>,
    /// Output of the last run, once it was copied back.
    output: Vec<u32>,
}

buffers!(MemoryBuffers<'_>: storage);

fn prepare_on_gpu<'a>(
    at: &VariantContext<'a, '_, MemoryKinds>,
    kind: Kind,
) -> PrepareResult<'a, MemoryKinds> {
    let max = u32::MAX as usize;
    if at.input.words.len() > max {
        return Err(Unavailable(format!("more than {max} words; use fewer --bytes")));
    }
    at.on_gpu::<MemoryBuffers<'a>>(kind)
}

/// Starts a step on all words.
fn start(gpu: &Gpu, input: &Words, words: Ptr<u32>) -> Result<(), DeviceError> {
    let count = input.words.len() as u32;
    let vectors = count / WORDS_OF_VECTOR;
    let rest = count % WORDS_OF_VECTOR;
    let wanted = vectors.div_ceil(CHANGE_WORDS.threads()).max(u32::from(rest > 0));
    let blocks = wanted.min(BLOCKS * gpu.properties().multiprocessors);
    let grid = LaunchConfig::blocks(blocks).with_traffic(2 * input.bytes() as u64);
    // SAFETY: there are `count` words, and no other code uses them before they are waited for.
    unsafe { gpu.launch(&CHANGE_WORDS, grid, ChangeWords { words, vectors, rest }) }
}

impl<'a> GpuTask<'a> for MemoryBuffers<'a> {
    type Task = MemoryKinds;
    type Config = Kind;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let kind = at.config;
        let storage = Storage::new(kind, &at.gpu, at.arena, at.input.words.len())?;
        Ok(MemoryBuffers { storage, output: Vec::new() })
    }

    fn load(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        self.storage.load(&at.gpu, &at.input.words)
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, .. } = at;
        let storage = &mut self.storage;
        storage.start(gpu)?;
        for step in 0..input.settings.steps {
            if input.settings.is_of_host(step) {
                let words = storage.for_host(gpu)?;
                gpu.host_stage(|| change(words));
                storage.for_device(gpu)?;
            } else {
                start(gpu, input, storage.ptr())?;
            }
        }
        storage.finish(gpu)
    }

    fn inspect(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), CheckError> {
        self.output = self.storage.read_back(&at.gpu)?;
        Ok(())
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Vec<u32>> {
        Cow::Borrowed(&self.output)
    }
}

/// Minimum size of a page of managed memory in bytes.
const PAGE: usize = 4096;
const WORDS_OF_PAGE: usize = PAGE / size_of::<u32>();

/// Words in a kind of memory.
enum Storage<'a> {
    /// On the device throughout; copied to the host for its steps.
    Device(BothSides<PinnedBuffer<u32>>),
    Pageable(BothSides<ArenaVec<'a, u32>>),
    Pinned(BothSides<PinnedBuffer<u32>>),
    Mapped(MappedBuffer<u32>),
    Managed(ManagedBuffer<u32>),
    ManagedPrefetched(ManagedBuffer<u32>),
}

/// A buffer on each side.
struct BothSides<H> {
    on_device: DeviceBuffer<u32>,
    on_host: H,
}

buffers!(BothSides<PinnedBuffer<u32>>: on_device, on_host);
buffers!(BothSides<ArenaVec<'_, u32>>: on_device, on_host);
buffers!(enum Storage<'_>: Device, Pageable, Pinned, Mapped, Managed, ManagedPrefetched);

impl<'a> Storage<'a> {
    fn new(kind: Kind, gpu: &Gpu, arena: &'a Arena, count: usize) -> Result<Self, DeviceError> {
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
    fn load(&mut self, gpu: &Gpu, words: &[u32]) -> Result<(), DeviceError> {
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
    fn ptr(&self) -> Ptr<u32> {
        match self {
            Storage::Device(both) | Storage::Pinned(both) => both.on_device.ptr(),
            Storage::Pageable(both) => both.on_device.ptr(),
            Storage::Mapped(memory) => memory.ptr(),
            Storage::Managed(memory) | Storage::ManagedPrefetched(memory) => memory.ptr(),
        }
    }

    /// Moves the words to the device at the start of a run.
    fn start(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        match self {
            Storage::Device(_) => Ok(()),
            _ => self.for_device(gpu),
        }
    }

    /// Moves the words to the device after a step of the host.
    fn for_device(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
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
    fn for_host(&mut self, gpu: &Gpu) -> Result<&mut [u32], DeviceError> {
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
    fn finish(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
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
    fn read_back(&mut self, gpu: &Gpu) -> Result<Vec<u32>, DeviceError> {
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
