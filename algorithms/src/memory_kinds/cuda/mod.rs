//! Words in memory of all kinds that a GPU reaches.

mod place;

use std::borrow::Cow;
use std::sync::Arc;

use self::place::Place;
use super::cpu::change;
use super::{MemoryKinds, Words};
use crate::algorithm::{Damage, Opened, Opening, Runner, Variant};
use crate::device::gpu::{DeviceError, Gpu, Grid, Ptr};
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
    open: crate::algorithm::Open<MemoryKinds>,
) -> Variant<MemoryKinds> {
    Variant::cuda(name, summary, open)
}

pub(super) const VARIANTS: &[Variant<MemoryKinds>] = &[
    variant(
        "device",
        "words are on the device before and after; copied for the host's turns",
        |at| on_gpu(at, Kind::Device),
    ),
    variant("pageable", "copies from and to ordinary memory of the host", |at| {
        on_gpu(at, Kind::Pageable)
    }),
    variant("pinned", "copies from and to page-locked memory of the host", |at| {
        on_gpu(at, Kind::Pinned)
    }),
    variant("mapped", "kernels reach page-locked memory of the host over the link", |at| {
        on_gpu(at, Kind::Mapped)
    }),
    variant("managed", "managed memory: pages move when either side touches them", |at| {
        on_gpu(at, Kind::Managed)
    }),
    variant(
        "managed-prefetched",
        "managed memory, moved as a whole before either side's turn",
        |at| on_gpu(at, Kind::ManagedPrefetched),
    ),
];

struct OnGpu<'a> {
    kind: Kind,
    input: &'a Words,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
    /// What the last run left, once it was asked for.
    found: Vec<u32>,
}

fn on_gpu<'a>(at: &Opening<'a, '_, MemoryKinds>, kind: Kind) -> Opened<'a, MemoryKinds> {
    let most = u32::MAX as usize;
    if at.input.words.len() > most {
        return Err(Unavailable(format!("more than {most} words; use fewer --bytes")));
    }
    at.session(OnGpu { kind, input: at.input, arena: at.arena, gpu: at.gpu()?, found: Vec::new() })
}

impl OnGpu<'_> {
    /// Starts a step of so many words.
    fn start(&self, words: Ptr<u32>) -> Result<(), DeviceError> {
        let count = self.input.words.len() as u32;
        let (vectors, rest) = (count / WORDS_OF_VECTOR, count % WORDS_OF_VECTOR);
        let wanted = vectors.div_ceil(CHANGE_WORDS.threads()).max(u32::from(rest > 0));
        let blocks = wanted.min(BLOCKS * self.gpu.properties().multiprocessors);
        let grid = Grid::blocks(blocks).moving(2 * self.input.bytes() as u64);
        // SAFETY: there are so many words, and nobody else uses them before they are waited for.
        unsafe { self.gpu.launch(&CHANGE_WORDS, grid, ChangeWords { words, vectors, rest }) }
    }
}

impl<'a> Runner<MemoryKinds> for OnGpu<'a> {
    type Buffers = Place<'a>;

    fn allocate(&self) -> Result<Place<'a>, DeviceError> {
        Place::new(self.kind, &self.gpu, self.arena, self.input.words.len())
    }

    fn load(&mut self, place: &mut Place<'a>) -> Result<(), DeviceError> {
        place.load(&self.gpu, &self.input.words)
    }

    fn run(&mut self, place: &mut Place<'a>) -> Result<(), DeviceError> {
        let gpu = &*self.gpu;
        place.begin(gpu)?;
        for step in 0..self.input.steps {
            if self.input.is_of_host(step) {
                let words = place.for_host(gpu)?;
                gpu.on_host(|| change(words));
                place.for_device(gpu)?;
            } else {
                self.start(place.ptr())?;
            }
        }
        place.end(gpu)
    }

    fn inspect(&mut self, place: &mut Place<'a>) -> Result<(), Damage> {
        self.found = place.found(&self.gpu)?;
        Ok(())
    }

    fn output<'b>(&'b self, _: &'b Place<'a>) -> Cow<'b, Vec<u32>> {
        Cow::Borrowed(&self.found)
    }
}
