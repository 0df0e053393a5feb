//! A buffer of a plugin, on the host or on a GPU, that detects writes out of bounds.

use std::borrow::Cow;
use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;

use super::guarded::{Guarded, Overrun};
use crate::device::Arena;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, POISON};
use crate::parallel::for_each;

/// Guard bytes after each buffer on a GPU, which no code may write.
pub(super) const GUARD: usize = 256;

/// Bytes per piece when all threads of the team write.
const PIECE: usize = 1 << 19;

pub(super) struct Buffer {
    /// Name in messages about writes out of bounds.
    name: Cow<'static, str>,
    memory: Memory,
}

enum Memory {
    Host(Guarded),
    /// With a guard after it.
    Gpu(DeviceBuffer<u8>, Arc<Gpu>),
}

impl Buffer {
    /// Allocates `bytes` bytes with arbitrary values on the host.
    ///
    /// # Errors
    /// Message of the system.
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

    /// Allocates `bytes` bytes with arbitrary values on a GPU.
    pub(super) fn on_gpu(
        gpu: &Arc<Gpu>,
        name: Cow<'static, str>,
        bytes: usize,
    ) -> Result<Self, DeviceError> {
        let memory = Memory::Gpu(gpu.buffer(bytes + GUARD)?, Arc::clone(gpu));
        Ok(Buffer { name, memory })
    }

    /// Releases it, for the next buffer of that length.
    pub(super) fn release(self, arena: &Arena) {
        if let Memory::Host(buffer) = self.memory {
            arena.give_other(buffer);
        }
    }

    /// Address for plugins.
    pub(super) fn as_ptr(&self) -> *mut c_void {
        match &self.memory {
            Memory::Host(buffer) => buffer.as_ptr().cast(),
            Memory::Gpu(buffer, _) => with_exposed_provenance_mut(buffer.address() as usize),
        }
    }

    /// Contents on the host; `None` on a GPU.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.memory {
            Memory::Host(buffer) => Some(buffer.bytes()),
            Memory::Gpu(..) => None,
        }
    }

    /// Buffer with the guard, for copies to and from a GPU.
    pub(super) fn device(&self) -> Option<&DeviceBuffer<u8>> {
        match &self.memory {
            Memory::Host(_) => None,
            Memory::Gpu(buffer, _) => Some(buffer),
        }
    }

    /// Fills it, and renews the guards.
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

    /// Overwrites the buffer and its guards. On a GPU this is started and not waited for.
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

    /// Describes writes out of bounds since the guards were renewed.
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
            let location = match found {
                Overrun::Before => "before the beginning",
                Overrun::Behind => "beyond the end",
            };
            format!("it wrote {location} of {}", self.name)
        }))
    }

    /// Returns the first byte that differs from `content`.
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

/// Initialises a buffer with all threads of the team, so that pages lie near them all.
fn touched(mut buffer: Guarded) -> Result<Guarded, String> {
    for_each(buffer.bytes_mut().chunks_mut(PIECE), |piece| piece.fill(0));
    Ok(buffer)
}

/// Copies bytes with all threads of the team.
pub(super) fn copy(to: &mut [u8], from: &[u8]) {
    let pieces = to.chunks_mut(PIECE).zip(from.chunks(PIECE));
    for_each(pieces, |(to, from)| to.copy_from_slice(from));
}

/// Compares as a whole first, because that is much faster than byte by byte for gigabytes.
fn first_difference(before: &[u8], after: &[u8]) -> Option<usize> {
    if before == after {
        return None;
    }
    let mut pairs = before.iter().zip(after);
    pairs.position(|(before, after)| before != after)
}
