//! Words in all kinds of memory that a GPU can access.

mod storage;

use std::borrow::Cow;
use std::sync::Arc;

use self::storage::Storage;
use super::cpu::change;
use super::{MemoryKinds, Words};
use crate::algorithm::{CheckError, PrepareResult, Runner, Variant, VariantContext};
use crate::device::gpu::{DeviceError, Gpu, LaunchConfig, Ptr};
use crate::device::{Arena, Unavailable};
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

struct GpuRunner<'a> {
    kind: Kind,
    input: &'a Words,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
    /// Output of the last run, once it was copied back.
    output: Vec<u32>,
}

fn prepare_on_gpu<'a>(
    at: &VariantContext<'a, '_, MemoryKinds>,
    kind: Kind,
) -> PrepareResult<'a, MemoryKinds> {
    let max = u32::MAX as usize;
    if at.input.words.len() > max {
        return Err(Unavailable(format!("more than {max} words; use fewer --bytes")));
    }
    at.session(GpuRunner {
        kind,
        input: at.input,
        arena: at.arena,
        gpu: at.gpu()?,
        output: Vec::new(),
    })
}

impl GpuRunner<'_> {
    /// Starts a step on all words.
    fn start(&self, words: Ptr<u32>) -> Result<(), DeviceError> {
        let count = self.input.words.len() as u32;
        let vectors = count / WORDS_OF_VECTOR;
        let rest = count % WORDS_OF_VECTOR;
        let wanted = vectors.div_ceil(CHANGE_WORDS.threads()).max(u32::from(rest > 0));
        let blocks = wanted.min(BLOCKS * self.gpu.properties().multiprocessors);
        let grid = LaunchConfig::blocks(blocks).with_traffic(2 * self.input.bytes() as u64);
        // SAFETY: there are `count` words, and no other code uses them before they are waited for.
        unsafe { self.gpu.launch(&CHANGE_WORDS, grid, ChangeWords { words, vectors, rest }) }
    }
}

impl<'a> Runner<MemoryKinds> for GpuRunner<'a> {
    type Buffers = Storage<'a>;

    fn allocate(&self) -> Result<Storage<'a>, DeviceError> {
        Storage::new(self.kind, &self.gpu, self.arena, self.input.words.len())
    }

    fn load(&mut self, storage: &mut Storage<'a>) -> Result<(), DeviceError> {
        storage.load(&self.gpu, &self.input.words)
    }

    fn run(&mut self, storage: &mut Storage<'a>) -> Result<(), DeviceError> {
        let gpu = &*self.gpu;
        storage.start(gpu)?;
        for step in 0..self.input.steps {
            if self.input.is_of_host(step) {
                let words = storage.for_host(gpu)?;
                gpu.host_stage(|| change(words));
                storage.for_device(gpu)?;
            } else {
                self.start(storage.ptr())?;
            }
        }
        storage.finish(gpu)
    }

    fn inspect(&mut self, storage: &mut Storage<'a>) -> Result<(), CheckError> {
        self.output = storage.read_back(&self.gpu)?;
        Ok(())
    }

    fn output<'b>(&'b self, _: &'b Storage<'a>) -> Cow<'b, Vec<u32>> {
        Cow::Borrowed(&self.output)
    }
}
