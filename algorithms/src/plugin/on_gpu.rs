//! The buffers of a plugin on a GPU.

use std::ffi::c_void;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::Arc;

use super::held::{Held, first_difference};
use super::instance::{Instance, ResultIn};
use super::loaded_variant::LoadedVariant;
use super::on_host::copy;
use super::task::{Addresses, Array, Description, Upload};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, MappedBuffer, POISON, PinnedBuffer};

/// Bytes behind each buffer that nobody has any business in.
const GUARD: usize = 256;

pub(super) struct OnGpu {
    arrays: Vec<GuardedOnGpu>,
    /// None if a run leaves its result in its input, or brings it to the host itself.
    output: Option<GuardedOnGpu>,
    scratch: GuardedOnGpu,
    host: OnHost,
    plugin: &'static str,
    gpu: Arc<Gpu>,
}

/// Page-locked memory.
enum OnHost {
    /// The arrays before a run; the first one takes the result.
    Arrays(Vec<PinnedBuffer<u8>>),
    /// The result alone, and a guard.
    Result(MappedBuffer<u8>),
}

/// So many bytes in a GPU's memory, and a guard behind them.
struct GuardedOnGpu {
    name: &'static str,
    buffer: DeviceBuffer<u8>,
}

impl OnGpu {
    /// With any content.
    ///
    /// # Errors
    /// If there is no room.
    pub(super) fn new(
        variant: &'static LoadedVariant,
        input: &Description<'_>,
        scratch: usize,
        gpu: &Arc<Gpu>,
    ) -> Result<Self, DeviceError> {
        let buffer = |name, bytes| {
            let buffer = gpu.buffer(bytes + GUARD)?;
            Ok(GuardedOnGpu { name, buffer })
        };
        let arrays = input.arrays.iter();
        let pinned = |array: &Array<'_>| gpu.pinned(array.content.len());
        Ok(OnGpu {
            host: match input.upload {
                Upload::InRun => {
                    OnHost::Arrays(arrays.clone().map(pinned).collect::<Result<_, _>>()?)
                }
                Upload::BeforeRun => OnHost::Result(gpu.mapped(input.output_bytes + GUARD)?),
            },
            arrays: arrays
                .map(|array| buffer(array.name, array.content.len()))
                .collect::<Result<_, DeviceError>>()?,
            output: variant
                .buffers
                .have_output()
                .then(|| buffer("its output", input.output_bytes))
                .transpose()?,
            scratch: buffer("its scratch memory", scratch)?,
            plugin: &variant.plugin.file,
            gpu: Arc::clone(gpu),
        })
    }

    /// Starts a run, and the copies that belong to it.
    fn start(&mut self, plugin: &mut Instance) -> Result<(), DeviceError> {
        let gpu = &self.gpu;
        if let OnHost::Arrays(arrays) = &self.host {
            for (to, from) in self.arrays.iter().zip(arrays) {
                gpu.upload(&to.buffer, from)?;
            }
        }
        if plugin.variant().waits {
            gpu.let_go();
        }
        // SAFETY: it was reset with these buffers.
        unsafe { plugin.run()? };
        let result = match (plugin.result()?, &self.output) {
            (ResultIn::Output, Some(output)) => output,
            _ => &self.arrays[0],
        };
        match &mut self.host {
            OnHost::Arrays(arrays) => gpu.download(&mut arrays[0], &result.buffer),
            OnHost::Result(host) if self.output.is_some() => {
                gpu.download(host.part_mut(0..result.len()), &result.buffer)
            }
            OnHost::Result(_) => Ok(()),
        }
    }

    /// What went wrong in a plugin's kernels is told with its name.
    fn named(&self, error: DeviceError) -> DeviceError {
        match error {
            DeviceError::Kernel {
                device, problem, ..
            } => DeviceError::Kernel {
                kernels: format!("of {}", self.plugin),
                device,
                problem,
            },
            other => other,
        }
    }
}

impl Held for OnGpu {
    fn load(&mut self, arrays: &[Array<'_>]) -> Result<(), DeviceError> {
        match &mut self.host {
            OnHost::Arrays(pinned) => {
                for (to, from) in pinned.iter_mut().zip(arrays) {
                    copy(to, &from.content);
                }
            }
            OnHost::Result(_) => {
                for (to, from) in self.arrays.iter().zip(arrays) {
                    // The guard behind it.
                    self.gpu.fill(&to.buffer, POISON)?;
                    self.gpu.upload(&to.buffer, &*from.content)?;
                }
                self.gpu.finish()?;
            }
        }
        // Binds the context to this thread.
        self.gpu.native_stream().map(|_| ())
    }

    fn addresses(&mut self) -> Addresses {
        let (output, host_output) = match (&self.output, &mut self.host) {
            (Some(output), _) => (output.as_ptr(), null_mut()),
            (None, OnHost::Result(host)) => (null_mut(), host.as_mut_ptr().cast()),
            (None, OnHost::Arrays(_)) => (null_mut(), null_mut()),
        };
        Addresses {
            arrays: self.arrays.iter().map(GuardedOnGpu::as_ptr).collect(),
            output,
            host_output,
            scratch: self.scratch.as_ptr(),
        }
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        let is_copied = matches!(self.host, OnHost::Arrays(_));
        let arrays = self.arrays.iter().filter(|_| is_copied);
        for buffer in arrays.chain(&self.output).chain([&self.scratch]) {
            self.gpu.fill(&buffer.buffer, POISON)?;
        }
        self.gpu.finish()?;
        if let OnHost::Result(host) = &mut self.host {
            host.fill(POISON);
        }
        Ok(())
    }

    /// What it started has to end before the buffers go, also after an error, which tells more
    /// than those that follow from it.
    fn run(&mut self, plugin: &mut Instance) -> Result<(), DeviceError> {
        let started = self.start(plugin);
        let finished = self.gpu.finish();
        started.and(finished).map_err(|error| self.named(error))
    }

    fn overrun(&self) -> Result<Option<String>, DeviceError> {
        let (input, tables) = self.arrays.split_at(1);
        let buffers = self.output.iter().chain(input);
        for buffer in buffers.chain([&self.scratch]).chain(tables) {
            if buffer.is_overrun(&self.gpu)? {
                return Ok(Some(format!("it wrote beyond the end of {}", buffer.name)));
            }
        }
        let spoilt = match &self.host {
            OnHost::Result(host) => host[host.len() - GUARD..] != [POISON; GUARD],
            OnHost::Arrays(_) => false,
        };
        Ok(spoilt.then(|| "it wrote beyond the end of its output".to_owned()))
    }

    fn changed(&self, array: usize, content: &[u8]) -> Result<Option<usize>, DeviceError> {
        let mut after = vec![0; content.len()];
        self.gpu.download(&mut after, &self.arrays[array].buffer)?;
        self.gpu.finish()?;
        Ok(first_difference(content, &after))
    }

    fn result(&self, _: ResultIn) -> &[u8] {
        match &self.host {
            OnHost::Arrays(arrays) => &arrays[0],
            OnHost::Result(host) => &host[..host.len() - GUARD],
        }
    }

    fn release(self: Box<Self>) {}
}

impl GuardedOnGpu {
    /// Without the guard.
    fn len(&self) -> usize {
        self.buffer.len() - GUARD
    }

    /// Where plugins find it.
    fn as_ptr(&self) -> *mut c_void {
        with_exposed_provenance_mut(self.buffer.address() as usize)
    }

    fn is_overrun(&self, gpu: &Gpu) -> Result<bool, DeviceError> {
        let mut guard = [0; GUARD];
        gpu.download_part(&mut guard[..], &self.buffer, self.len())?;
        gpu.finish()?;
        Ok(guard != [POISON; GUARD])
    }
}
