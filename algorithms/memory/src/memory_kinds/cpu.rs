//! CPU variants, where the host plays both sides: with a copy, as a device needs it, and without.

use std::borrow::Cow;

use parallel::{Grain, copy, for_each_part};
use portable_gpu::DeviceError;

use super::{MemoryKinds, Words, changed};
use tasks::algorithm::{PrepareResult, Runner, Variant, VariantContext};
use tasks::device::{Arena, ArenaVec, buffers};

/// Minimum number of words that a thread changes at a time.
const PART: usize = 1 << 14;

pub(super) const VARIANTS: &[Variant<MemoryKinds>] = &[
    Variant::cpu(
        "io",
        "in place: a buffer for both sides is one where they are (xpu's io)",
        |at| prepare(at, Copies::None),
    ),
    Variant::cpu("copied", "a copy to another array, as a device has it, and one back", |at| {
        prepare(at, Copies::Both)
    }),
];

/// Copies between the host's and the simulated device's array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copies {
    None,
    Both,
}

struct HostRunner<'a> {
    input: &'a Words,
    arena: &'a Arena,
    copies: Copies,
}

struct HostBuffers<'a> {
    words: ArenaVec<'a, u32>,
    on_device: ArenaVec<'a, u32>,
}

buffers!(HostBuffers<'_>: words, on_device);

fn prepare<'a>(
    at: &VariantContext<'a, '_, MemoryKinds>,
    copies: Copies,
) -> PrepareResult<'a, MemoryKinds> {
    at.session(HostRunner { input: at.input, arena: at.arena, copies })
}

/// Changes all words once, with all threads.
pub(super) fn change(words: &mut [u32]) {
    for_each_part(words, Grain::AtLeast(PART), |_, part| {
        part.iter_mut().for_each(|word| *word = changed(*word));
    });
}

impl<'a> Runner<MemoryKinds> for HostRunner<'a> {
    type Buffers = HostBuffers<'a>;

    fn allocate(&self) -> Result<HostBuffers<'a>, DeviceError> {
        let count = self.input.words.len();
        let on_device = if self.copies == Copies::Both { count } else { 0 };
        Ok(HostBuffers { words: self.arena.vector(count), on_device: self.arena.vector(on_device) })
    }

    fn load(&mut self, buffers: &mut HostBuffers<'a>) -> Result<(), DeviceError> {
        copy(&mut buffers.words, &self.input.words);
        Ok(())
    }

    fn run(&mut self, buffers: &mut HostBuffers<'a>) -> Result<(), DeviceError> {
        let HostBuffers { words, on_device } = buffers;
        if self.copies == Copies::None {
            (0..self.input.settings.steps).for_each(|_| change(words));
            return Ok(());
        }
        copy(on_device, words);
        for step in 0..self.input.settings.steps {
            if self.input.settings.is_of_host(step) {
                copy(words, on_device);
                change(words);
                copy(on_device, words);
            } else {
                change(on_device);
            }
        }
        copy(words, on_device);
        Ok(())
    }

    fn output<'b>(&'b self, buffers: &'b HostBuffers<'a>) -> Cow<'b, Vec<u32>> {
        Cow::Borrowed(&buffers.words)
    }
}
