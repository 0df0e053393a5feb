//! A buffer of a plugin, on the host or on a GPU, that shows who writes beyond it.

use std::borrow::Cow;
use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;

use super::guarded::{Guarded, Overrun};
use crate::device::Arena;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, POISON};
use crate::parallel::for_each;

/// Bytes behind each buffer on a GPU that nobody has any business in.
pub(super) const GUARD: usize = 256;

/// Bytes that a thread of the team takes at a time where all write.
const PIECE: usize = 1 << 19;

pub(super) struct Buffer {
    /// What it is called where somebody writes beyond it.
    name: Cow<'static, str>,
    memory: Memory,
}

enum Memory {
    Host(Guarded),
    /// With a guard behind it.
    Gpu(DeviceBuffer<u8>, Arc<Gpu>),
}

impl Buffer {
    /// So many bytes of any value.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn on_host(
        arena: &Arena,
        name: Cow<'static, str>,
        bytes: usize,
    ) -> Result<Self, String> {
        let fits = |buffer: &Guarded| buffer.bytes().len() == bytes;
        let memory = arena.take_other(fits, || touched(Guarded::new(bytes)?))?;
        let memory = Memory::Host(memory);
        Ok(Buffer { name, memory })
    }

    /// The same on a GPU.
    pub(super) fn on_gpu(
        gpu: &Arc<Gpu>,
        name: Cow<'static, str>,
        bytes: usize,
    ) -> Result<Self, DeviceError> {
        let memory = Memory::Gpu(gpu.buffer(bytes + GUARD)?, Arc::clone(gpu));
        Ok(Buffer { name, memory })
    }

    /// Gives it back, for the next one of that length.
    pub(super) fn release(self, arena: &Arena) {
        if let Memory::Host(buffer) = self.memory {
            arena.give_other(buffer);
        }
    }

    /// Where plugins find it.
    pub(super) fn as_ptr(&self) -> *mut c_void {
        match &self.memory {
            Memory::Host(buffer) => buffer.as_ptr().cast(),
            Memory::Gpu(buffer, _) => with_exposed_provenance_mut(buffer.address() as usize),
        }
    }

    /// What it has on the host.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.memory {
            Memory::Host(buffer) => Some(buffer.bytes()),
            Memory::Gpu(..) => None,
        }
    }

    /// What copies to and from a GPU are given, with the guard.
    pub(super) fn device(&self) -> Option<&DeviceBuffer<u8>> {
        match &self.memory {
            Memory::Host(_) => None,
            Memory::Gpu(buffer, _) => Some(buffer),
        }
    }

    /// Fills it, within new guards.
    pub(super) fn load(&mut self, content: &[u8]) -> Result<(), DeviceError> {
        match &mut self.memory {
            Memory::Host(buffer) => {
                buffer.renew();
                copy(buffer.bytes_mut(), content);
                Ok(())
            }
            Memory::Gpu(buffer, gpu) => {
                gpu.fill(buffer, POISON)?;
                gpu.upload(buffer, content)?;
                gpu.finish()
            }
        }
    }

    /// Overwrites it and its guards. On a GPU this is started and not waited for.
    pub(super) fn poison(&mut self) -> Result<(), DeviceError> {
        match &mut self.memory {
            Memory::Host(buffer) => {
                buffer.renew();
                buffer.bytes_mut().fill(POISON);
                Ok(())
            }
            Memory::Gpu(buffer, gpu) => gpu.fill(buffer, POISON),
        }
    }

    /// What was written beside it since.
    pub(super) fn overrun(&self) -> Result<Option<String>, DeviceError> {
        let found = match &self.memory {
            Memory::Host(buffer) => buffer.overrun(),
            Memory::Gpu(buffer, gpu) => {
                let mut guard = [0; GUARD];
                gpu.download_part(&mut guard[..], buffer, buffer.len() - GUARD)?;
                gpu.finish()?;
                (guard != [POISON; GUARD]).then_some(Overrun::Behind)
            }
        };
        Ok(found.map(|found| {
            let beside = match found {
                Overrun::Before => "before the beginning",
                Overrun::Behind => "beyond the end",
            };
            format!("it wrote {beside} of {}", self.name)
        }))
    }

    /// The first byte that is not what it was.
    pub(super) fn first_change(&self, content: &[u8]) -> Result<Option<usize>, DeviceError> {
        match &self.memory {
            Memory::Host(buffer) => Ok(first_difference(content, buffer.bytes())),
            Memory::Gpu(buffer, gpu) => {
                let mut after = vec![0; content.len()];
                gpu.download(&mut after, buffer)?;
                gpu.finish()?;
                Ok(first_difference(content, &after))
            }
        }
    }
}

/// By all threads of the team, so that pages lie near them all.
fn touched(mut buffer: Guarded) -> Result<Guarded, String> {
    for_each(buffer.bytes_mut().chunks_mut(PIECE), |piece| piece.fill(0));
    Ok(buffer)
}

/// Copies bytes, by all threads of the team.
pub(super) fn copy(to: &mut [u8], from: &[u8]) {
    let pieces = to.chunks_mut(PIECE).zip(from.chunks(PIECE));
    for_each(pieces, |(to, from)| to.copy_from_slice(from));
}

/// They may have gigabytes: as a whole they are compared much quicker than byte by byte.
fn first_difference(before: &[u8], after: &[u8]) -> Option<usize> {
    if before == after {
        return None;
    }
    let mut pairs = before.iter().zip(after);
    pairs.position(|(before, after)| before != after)
}
