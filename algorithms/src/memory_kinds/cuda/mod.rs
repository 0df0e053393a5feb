//! Words in all kinds of memory that a GPU can access.

mod storage;

use std::borrow::Cow;

use self::storage::Storage;
use super::cpu::change;
use super::{MemoryKinds, Words};
use crate::algorithm::{CheckError, GpuRunner, GpuTask, PrepareResult, Variant, VariantContext};
use crate::device::gpu::{DeviceError, Gpu, LaunchConfig, Ptr};
use crate::device::{Unavailable, buffers};
use crate::kernels::memory_kinds_change::{CHANGE_WORDS, ChangeWords, WORDS_OF_VECTOR};

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
    prepare: crate::algorithm::Prepare<MemoryKinds>,
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
        for step in 0..input.steps {
            if input.is_of_host(step) {
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
