//! The buffers of a plugin on the host.

use std::ptr::null_mut;

use rayon::prelude::*;

use super::guarded::{Guarded, Overrun};
use super::held::{Held, first_difference};
use super::instance::{Instance, ResultIn};
use super::loaded_variant::LoadedVariant;
use super::task::{Addresses, Array, Description};
use crate::device::Arena;
use crate::device::gpu::{DeviceError, POISON};

/// Bytes that a thread of the team takes at a time where all write.
const PIECE: usize = 1 << 19;

pub(super) struct OnHost<'a> {
    input: Guarded,
    output: Option<Guarded>,
    scratch: Guarded,
    arena: &'a Arena,
}

impl<'a> OnHost<'a> {
    /// With any content.
    ///
    /// # Errors
    /// If there is no room.
    pub(super) fn new(
        variant: &LoadedVariant,
        input: &Description<'_>,
        scratch: usize,
        arena: &'a Arena,
    ) -> Result<Self, DeviceError> {
        let buffer = |bytes| {
            let fits = |buffer: &Guarded| buffer.bytes().len() == bytes;
            let taken = arena.take_other(fits, || touched(Guarded::new(bytes)?));
            taken.map_err(|problem: String| variant.plugin.failed(problem))
        };
        Ok(OnHost {
            input: buffer(input.arrays[0].content.len())?,
            output: variant
                .buffers
                .have_output()
                .then(|| buffer(input.output_bytes))
                .transpose()?,
            scratch: buffer(scratch)?,
            arena,
        })
    }
}

impl Held for OnHost<'_> {
    fn load(&mut self, arrays: &[Array<'_>]) -> Result<(), DeviceError> {
        copy(self.input.bytes_mut(), &arrays[0].content);
        Ok(())
    }

    fn addresses(&mut self) -> Addresses {
        let output = self.output.as_ref().map(Guarded::as_ptr);
        Addresses {
            arrays: vec![self.input.as_ptr().cast()],
            output: output.map_or(null_mut(), <*mut u8>::cast),
            host_output: null_mut(),
            scratch: self.scratch.as_ptr().cast(),
        }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.input.renew();
        for buffer in self.output.iter_mut().chain([&mut self.scratch]) {
            buffer.renew();
            buffer.bytes_mut().fill(POISON);
        }
        Ok(())
    }

    fn run(&mut self, plugin: &mut Instance) -> Result<(), DeviceError> {
        // SAFETY: it was reset with these buffers.
        unsafe { plugin.run() }
    }

    fn overrun(&self) -> Result<Option<String>, DeviceError> {
        let output = self.output.iter().map(|output| ("output", output));
        let others = [("input", &self.input), ("scratch memory", &self.scratch)];
        let found = output.chain(others).find_map(|(name, buffer)| {
            let beside = match buffer.overrun()? {
                Overrun::Before => "before the beginning",
                Overrun::Behind => "beyond the end",
            };
            Some(format!("it wrote {beside} of its {name}"))
        });
        Ok(found)
    }

    fn changed(&self, array: usize, content: &[u8]) -> Result<Option<usize>, DeviceError> {
        let found = (array == 0).then(|| first_difference(content, self.input.bytes()));
        Ok(found.flatten())
    }

    fn result(&self, lies: ResultIn) -> &[u8] {
        match (lies, &self.output) {
            (ResultIn::Output, Some(output)) => output.bytes(),
            _ => self.input.bytes(),
        }
    }

    fn release(self: Box<Self>) {
        let buffers = [Some(self.input), self.output, Some(self.scratch)];
        let buffers = buffers.into_iter().flatten();
        buffers.for_each(|buffer| self.arena.give_other(buffer));
    }
}

/// By all threads of the team, so that pages lie near them all.
fn touched(mut buffer: Guarded) -> Result<Guarded, String> {
    let pieces = buffer.bytes_mut().par_chunks_mut(PIECE);
    pieces.for_each(|piece| piece.fill(0));
    Ok(buffer)
}

/// Copies bytes, by all threads of the team.
pub(super) fn copy(to: &mut [u8], from: &[u8]) {
    let pieces = to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE));
    pieces.for_each(|(to, from)| to.copy_from_slice(from));
}
