//! Buffers of a plugin's runs.

use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::Arc;

use portable_gpu::{DeviceError, Gpu, MappedBuffer, POISON, PinnedBuffer};

use super::buffer::{Buffer, GUARD, copy};
use super::instance::{Instance, ResultIn};
use super::task::{Addresses, Array, Description, Upload};
use crate::device::{Arena, Buffers};
use crate::plugin::loaded_variant::LoadedVariant;

pub(super) struct PluginBuffers<'a> {
    /// As in the description; on the host only those with a host buffer.
    arrays: Vec<Buffer>,
    /// As in the description; none if the result is in the input or on the host.
    outputs: Vec<Buffer>,
    /// Taken when the buffers are dropped.
    scratch: Option<Buffer>,
    arena: &'a Arena,
    gpu: Option<(Arc<Gpu>, PageLocked)>,
}

/// Host buffers for copies of a GPU.
enum PageLocked {
    /// The arrays, which are copied in each run, and the results.
    Arrays { arrays: Vec<PinnedBuffer<u8>>, results: Vec<PinnedBuffer<u8>> },
    /// The result only, and a guard.
    Result(MappedBuffer<u8>),
}

impl<'a> PluginBuffers<'a> {
    /// Allocates buffers, with arbitrary contents.
    pub(super) fn new<O>(
        variant: &LoadedVariant,
        input: &Description<'_, O>,
        scratch: u64,
        arena: &'a Arena,
        gpu: Option<&Arc<Gpu>>,
    ) -> Result<Self, DeviceError> {
        let buffer = |name: Cow<'static, str>, bytes| match gpu {
            Some(gpu) => Buffer::on_gpu(gpu, name, bytes),
            None => Buffer::on_host(arena, name, bytes)
                .map_err(|problem| variant.plugin.failed(problem)),
        };
        let arrays = input.buffered(gpu.is_some()).iter();
        let arrays = arrays.map(|array| buffer(array.name.clone(), array.content.len()));
        let outputs = if variant.buffers.have_output() { &input.outputs[..] } else { &[] };
        let outputs = outputs.iter().map(|output| buffer(output.name.clone(), output.bytes));
        let page_locked = |gpu: &Arc<Gpu>| Ok((Arc::clone(gpu), PageLocked::new(gpu, input)?));
        Ok(PluginBuffers {
            arrays: arrays.collect::<Result<_, _>>()?,
            outputs: outputs.collect::<Result<_, _>>()?,
            scratch: Some(buffer("its scratch memory".into(), scratch as usize)?),
            arena,
            gpu: gpu.map(page_locked).transpose()?,
        })
    }

    /// Provides fresh arrays, for a call from this thread.
    pub(super) fn load(&mut self, arrays: &[Array<'_>]) -> Result<(), DeviceError> {
        if let Some((_, PageLocked::Arrays { arrays: pinned, .. })) = &mut self.gpu {
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

    /// Addresses of the buffers for plugins.
    pub(super) fn addresses(&mut self) -> Addresses {
        let on_host = match &mut self.gpu {
            Some((_, PageLocked::Result(host))) if self.outputs.is_empty() => {
                Some(host.as_mut_ptr().cast())
            }
            _ => None,
        };
        Addresses {
            arrays: self.arrays.iter().map(Buffer::as_ptr).collect(),
            outputs: self.outputs.iter().map(Buffer::as_ptr).collect(),
            on_host,
        }
    }

    /// Address of the scratch memory.
    pub(super) fn scratch(&self) -> *mut c_void {
        self.scratch.as_ref().map_or(std::ptr::null_mut(), Buffer::as_ptr)
    }

    /// Runs the plugin, which was reset with these buffers, and all copies that belong to a run.
    /// The caller waits for GPU work, also after an error, before the buffers are released.
    pub(super) fn run(&mut self, plugin: &mut Instance) -> Result<(), DeviceError> {
        let Some((gpu, page_locked)) = &mut self.gpu else {
            // SAFETY: it was reset with these buffers.
            return unsafe { plugin.run() };
        };
        page_locked.start(gpu, &self.arrays, &self.outputs, plugin)
    }

    /// Describes writes out of bounds since all buffers were poisoned.
    pub(super) fn overrun(&self) -> Result<Option<String>, DeviceError> {
        let (input, tables) = self.arrays.split_at(1);
        let buffers = self.outputs.iter().chain(input).chain(&self.scratch);
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

    /// Describes an array that was changed; the first one may be changed, if it takes the result.
    pub(super) fn changed(
        &self,
        arrays: &[Array<'_>],
        keep_input: bool,
    ) -> Result<Option<String>, DeviceError> {
        let kept = self.arrays.iter().zip(arrays).skip(usize::from(!keep_input));
        for (buffer, array) in kept {
            let Some(changed) = array.changed else {
                continue;
            };
            if let Some(byte) = buffer.first_change(&array.content)? {
                return Ok(Some(changed(&array.name, byte)));
            }
        }
        Ok(None)
    }

    /// Returns the results of the last run.
    pub(super) fn results(&self, lies: ResultIn) -> Vec<&[u8]> {
        match &self.gpu {
            Some((_, PageLocked::Arrays { results, .. })) => {
                results.iter().map(|result| &result[..]).collect()
            }
            Some((_, PageLocked::Result(host))) => vec![&host[..host.len() - GUARD]],
            None => {
                let buffers = results(&self.arrays, &self.outputs, lies).iter();
                buffers.map(|buffer| buffer.bytes().unwrap_or_default()).collect()
            }
        }
    }
}

impl Buffers for PluginBuffers<'_> {
    /// Overwrites all buffers except fresh arrays.
    fn poison(&mut self) -> Result<(), DeviceError> {
        for buffer in self.outputs.iter_mut().chain(&mut self.scratch) {
            buffer.poison()?;
        }
        match &mut self.gpu {
            Some((gpu, PageLocked::Arrays { results, .. })) => {
                self.arrays.iter_mut().try_for_each(Buffer::poison)?;
                gpu.finish()?;
                results.iter_mut().for_each(|result| result.fill(POISON));
                Ok(())
            }
            Some((gpu, PageLocked::Result(host))) => {
                gpu.finish()?;
                host.fill(POISON);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The runner counts all bytes.
    fn bytes(&self) -> u64 {
        0
    }
}

impl Drop for PluginBuffers<'_> {
    fn drop(&mut self) {
        let buffers = self.arrays.drain(..).chain(self.outputs.drain(..));
        let buffers = buffers.chain(self.scratch.take());
        buffers.for_each(|buffer| buffer.release(self.arena));
    }
}

impl PageLocked {
    fn new<O>(gpu: &Gpu, input: &Description<'_, O>) -> Result<Self, DeviceError> {
        let pinned = |bytes: Vec<usize>| -> Result<Vec<_>, _> {
            bytes.into_iter().map(|bytes| gpu.pinned(bytes)).collect()
        };
        let outputs: Vec<_> = input.outputs.iter().map(|output| output.bytes).collect();
        Ok(match input.upload {
            Upload::InRun => PageLocked::Arrays {
                arrays: pinned(input.arrays.iter().map(|array| array.content.len()).collect())?,
                results: pinned(outputs)?,
            },
            Upload::BeforeRun => {
                PageLocked::Result(gpu.mapped(outputs.iter().sum::<usize>() + GUARD)?)
            }
        })
    }

    /// Starts a run, and the copies that belong to it.
    fn start(
        &mut self,
        gpu: &Gpu,
        arrays: &[Buffer],
        outputs: &[Buffer],
        plugin: &mut Instance,
    ) -> Result<(), DeviceError> {
        if let PageLocked::Arrays { arrays: pinned, .. } = self {
            for (to, from) in arrays.iter().filter_map(Buffer::device).zip(&*pinned) {
                gpu.upload(to, from)?;
            }
        }
        if plugin.variant().waits {
            gpu.release_stream();
        }
        // SAFETY: it was reset with these buffers.
        unsafe { plugin.run()? };
        let lie_in = plugin.result()?;
        match self {
            PageLocked::Arrays { results: to, .. } => {
                let from = results(arrays, outputs, lie_in).iter().filter_map(Buffer::device);
                to.iter_mut().zip(from).try_for_each(|(to, from)| gpu.download(to, from))
            }
            // If there is none, the plugin has copied it to the host itself.
            PageLocked::Result(host) => {
                let from = outputs.iter().filter_map(Buffer::device).next();
                from.map_or(Ok(()), |from| gpu.download(host.part_mut(0..from.len() - GUARD), from))
            }
        }
    }
}

/// Buffers with the results: the input is one if it takes them.
fn results<'b>(arrays: &'b [Buffer], outputs: &'b [Buffer], lie_in: ResultIn) -> &'b [Buffer] {
    match lie_in {
        ResultIn::Output => outputs,
        ResultIn::Input => &arrays[..1],
    }
}
