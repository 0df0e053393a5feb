//! On the host, which is both sides: with a copy, as a device needs one, and without.

use std::borrow::Cow;

use super::{MemoryKinds, Words, changed};
use crate::algorithm::{Opened, Opening, Runner, Variant};
use crate::all_cores::copy;
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec, buffers};
use crate::parallel::{Grain, for_each_part};

/// Words that a thread changes at a time, at least.
const PART: usize = 1 << 14;

pub(super) const VARIANTS: &[Variant<MemoryKinds>] = &[
    Variant::cpu(
        "io",
        "in place: a buffer for both sides is one where they are (xpu's io)",
        |at| on_host(at, Copies::None),
    ),
    Variant::cpu("copied", "a copy to another array, as a device has it, and one back", |at| {
        on_host(at, Copies::Both)
    }),
];

/// Copies between host and device.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copies {
    None,
    Both,
}

struct OnHost<'a> {
    input: &'a Words,
    arena: &'a Arena,
    copies: Copies,
}

struct Held<'a> {
    words: ArenaVec<'a, u32>,
    on_device: ArenaVec<'a, u32>,
}

buffers!(Held<'_>: words, on_device);

fn on_host<'a>(at: &Opening<'a, '_, MemoryKinds>, copies: Copies) -> Opened<'a, MemoryKinds> {
    at.session(OnHost { input: at.input, arena: at.arena, copies })
}

/// A step of all words, by all threads.
pub(super) fn change(words: &mut [u32]) {
    for_each_part(words, Grain::AtLeast(PART), |_, part| {
        part.iter_mut().for_each(|word| *word = changed(*word));
    });
}

impl<'a> Runner<MemoryKinds> for OnHost<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        let count = self.input.words.len();
        let on_device = if self.copies == Copies::Both { count } else { 0 };
        Ok(Held { words: self.arena.vector(count), on_device: self.arena.vector(on_device) })
    }

    fn load(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        copy(&mut held.words, &self.input.words);
        Ok(())
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        let Held { words, on_device } = held;
        if self.copies == Copies::None {
            (0..self.input.steps).for_each(|_| change(words));
            return Ok(());
        }
        copy(on_device, words);
        for step in 0..self.input.steps {
            if self.input.is_of_host(step) {
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

    fn output<'b>(&'b self, held: &'b Held<'a>) -> Cow<'b, Vec<u32>> {
        Cow::Borrowed(&held.words)
    }
}
