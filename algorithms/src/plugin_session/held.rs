//! What is held during the runs of a plugin.

use std::ptr::null_mut;
use std::sync::Arc;

use super::buffer::{Buffer, GUARD, copy};
use super::instance::{Instance, ResultIn};
use super::task::{Addresses, Array, Description, Upload};
use crate::device::Arena;
use crate::device::gpu::{DeviceError, Gpu, MappedBuffer, POISON, PinnedBuffer};
use crate::plugin::loaded_variant::LoadedVariant;

pub(super) struct Held<'a> {
    /// As in the description; the first one only on the host.
    arrays: Vec<Buffer>,
    output: Option<Buffer>,
    scratch: Buffer,
    arena: &'a Arena,
    gpu: Option<(Arc<Gpu>, PageLocked)>,
}

/// What copies of a GPU come from and go to.
enum PageLocked {
    /// The arrays, which are copied in each run; the first one takes the result.
    Arrays(Vec<PinnedBuffer<u8>>),
    /// The result alone, and a guard.
    Result(MappedBuffer<u8>),
}

impl<'a> Held<'a> {
    /// Takes buffers, with any content.
    pub(super) fn new(
        variant: &LoadedVariant,
        input: &Description<'_>,
        scratch: u64,
        (arena, gpu): (&'a Arena, Option<&Arc<Gpu>>),
    ) -> Result<Self, DeviceError> {
        let buffer = |name, bytes| match gpu {
            Some(gpu) => Buffer::on_gpu(gpu, name, bytes),
            None => Buffer::on_host(arena, name, bytes)
                .map_err(|problem| variant.plugin.failed(problem)),
        };
        let arrays = input.buffered(gpu.is_some()).iter();
        let arrays = arrays.map(|array| buffer(array.name, array.content.len()));
        let output = || buffer("its output", input.output_bytes);
        let page_locked = |gpu: &Arc<Gpu>| Ok((Arc::clone(gpu), PageLocked::new(gpu, input)?));
        Ok(Held {
            arrays: arrays.collect::<Result<_, _>>()?,
            output: variant.buffers.have_output().then(output).transpose()?,
            scratch: buffer("its scratch memory", scratch as usize)?,
            arena,
            gpu: gpu.map(page_locked).transpose()?,
        })
    }

    /// Provides fresh arrays, for a call from this thread.
    pub(super) fn load(&mut self, arrays: &[Array<'_>]) -> Result<(), DeviceError> {
        if let Some((_, PageLocked::Arrays(pinned))) = &mut self.gpu {
            for (to, from) in pinned.iter_mut().zip(arrays) {
                copy(to, &from.content);
            }
        } else {
            for (to, from) in self.arrays.iter_mut().zip(arrays) {
                to.load(&from.content)?;
            }
        }
        // Binds the context to this thread.
        let gpu = self.gpu.as_ref();
        gpu.map_or(Ok(()), |(gpu, _)| gpu.native_stream().map(|_| ()))
    }

    /// Where plugins find the buffers.
    pub(super) fn addresses(&mut self) -> Addresses {
        let output = self.output.as_ref().map(Buffer::as_ptr);
        Addresses {
            arrays: self.arrays.iter().map(Buffer::as_ptr).collect(),
            output: output.unwrap_or(null_mut()),
            host_output: match (&mut self.gpu, output) {
                (Some((_, PageLocked::Result(host))), None) => host.as_mut_ptr().cast(),
                _ => null_mut(),
            },
            scratch: self.scratch.as_ptr(),
        }
    }

    /// Overwrites all but fresh arrays.
    pub(super) fn poison(&mut self) -> Result<(), DeviceError> {
        for buffer in self.output.iter_mut().chain([&mut self.scratch]) {
            buffer.poison()?;
        }
        match &mut self.gpu {
            Some((gpu, PageLocked::Arrays(_))) => {
                self.arrays.iter_mut().try_for_each(Buffer::poison)?;
                gpu.finish()
            }
            Some((gpu, PageLocked::Result(host))) => {
                gpu.finish()?;
                host.fill(POISON);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Runs the plugin, which was reset with these buffers, and all copies that belong to a
    /// run. What was started on a GPU has to end before the buffers go, also after an error,
    /// which tells more than those that follow from it.
    pub(super) fn run(&mut self, plugin: &mut Instance) -> Result<(), DeviceError> {
        let Some((gpu, page_locked)) = &mut self.gpu else {
            // SAFETY: it was reset with these buffers.
            return unsafe { plugin.run() };
        };
        let buffers = (&self.arrays[..], self.output.as_ref());
        let started = page_locked.start(gpu, buffers, plugin);
        let finished = gpu.finish();
        started.and(finished)
    }

    /// What was written beside a buffer since all were poisoned.
    pub(super) fn overrun(&self) -> Result<Option<String>, DeviceError> {
        let (input, tables) = self.arrays.split_at(1);
        let buffers = self.output.iter().chain(input).chain([&self.scratch]);
        for buffer in buffers.chain(tables) {
            let overrun = buffer.overrun()?;
            if overrun.is_some() {
                return Ok(overrun);
            }
        }
        let spoilt = match &self.gpu {
            Some((_, PageLocked::Result(host))) => host[host.len() - GUARD..] != [POISON; GUARD],
            _ => false,
        };
        Ok(spoilt.then(|| "it wrote beyond the end of its output".to_owned()))
    }

    /// What was said of an array that was changed.
    pub(super) fn changed(&self, arrays: &[Array<'_>]) -> Result<Option<String>, DeviceError> {
        for (buffer, array) in self.arrays.iter().zip(arrays) {
            let Some(changed) = array.changed else {
                continue;
            };
            if let Some(byte) = buffer.first_change(&array.content)? {
                return Ok(Some(changed(array.name, byte)));
            }
        }
        Ok(None)
    }

    /// The result of the last run.
    pub(super) fn result(&self, lies: ResultIn) -> &[u8] {
        match &self.gpu {
            Some((_, PageLocked::Arrays(arrays))) => &arrays[0],
            Some((_, PageLocked::Result(host))) => &host[..host.len() - GUARD],
            None => {
                let buffer = result((&self.arrays, self.output.as_ref()), lies);
                buffer.bytes().unwrap_or_default()
            }
        }
    }

    /// Gives the buffers back.
    pub(super) fn release(self) {
        let buffers = self.arrays.into_iter().chain(self.output);
        let buffers = buffers.chain([self.scratch]);
        buffers.for_each(|buffer| buffer.release(self.arena));
    }
}

impl PageLocked {
    fn new(gpu: &Gpu, input: &Description<'_>) -> Result<Self, DeviceError> {
        let pinned = |array: &Array<'_>| gpu.pinned(array.content.len());
        Ok(match input.upload {
            Upload::InRun => {
                PageLocked::Arrays(input.arrays.iter().map(pinned).collect::<Result<_, _>>()?)
            }
            Upload::BeforeRun => PageLocked::Result(gpu.mapped(input.output_bytes + GUARD)?),
        })
    }

    /// Starts a run, and the copies that belong to it.
    fn start(
        &mut self,
        gpu: &Gpu,
        (arrays, output): (&[Buffer], Option<&Buffer>),
        plugin: &mut Instance,
    ) -> Result<(), DeviceError> {
        if let PageLocked::Arrays(pinned) = self {
            for (to, from) in arrays.iter().filter_map(Buffer::device).zip(&*pinned) {
                gpu.upload(to, from)?;
            }
        }
        if plugin.variant().waits {
            gpu.let_go();
        }
        // SAFETY: it was reset with these buffers.
        unsafe { plugin.run()? };
        let from = result((arrays, output), plugin.result()?).device();
        match (self, from) {
            (PageLocked::Arrays(pinned), Some(from)) => gpu.download(&mut pinned[0], from),
            (PageLocked::Result(host), Some(from)) if output.is_some() => {
                gpu.download(host.part_mut(0..from.len() - GUARD), from)
            }
            // The plugin has brought it to the host itself.
            _ => Ok(()),
        }
    }
}

/// The buffer with the result.
fn result<'b>((arrays, output): (&'b [Buffer], Option<&'b Buffer>), lies: ResultIn) -> &'b Buffer {
    match (lies, output) {
        (ResultIn::Output, Some(output)) => output,
        _ => &arrays[0],
    }
}
