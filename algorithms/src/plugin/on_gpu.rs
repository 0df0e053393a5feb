//! What a variant of a plugin has on a GPU, whatever its task: its calls, buffers with
//! guards, and an account of its memory.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;

use super::account::Account;
use super::instance::{Instance, NotReady, ResultIn};
use super::{Functions, Waiting};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, POISON};

/// Bytes behind each buffer that nobody has any business in.
pub(crate) const GUARD: usize = 256;

pub(crate) struct OnGpu {
    // Before the GPU: `release` may use it.
    instance: Instance,
    functions: Functions,
    account: Account,
    free_before_run: Option<u64>,
    gpu: Arc<Gpu>,
}

impl OnGpu {
    /// Prepares a variant on a GPU, by its number.
    ///
    /// # Safety
    /// As [`Instance::prepare`].
    ///
    /// # Errors
    /// As [`NotReady`] says.
    pub(crate) unsafe fn prepare(
        functions: Functions,
        input: *const c_void,
        workers: usize,
        gpu: &Arc<Gpu>,
        number: i32,
    ) -> Result<Self, NotReady> {
        let before = free_bytes(gpu);
        // SAFETY: as the caller promises.
        let instance =
            unsafe { Instance::prepare(functions, workers, Some((gpu, number)), input) }?;
        let mut account = Account::on_gpu(instance.needs().own);
        account.see(taken_since(before, gpu));
        Ok(OnGpu {
            instance,
            functions,
            account,
            free_before_run: None,
            gpu: Arc::clone(gpu),
        })
    }

    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// The scratch memory that the variant asked for.
    ///
    /// # Errors
    /// If there is no room.
    pub(crate) fn scratch(&self) -> Result<GuardedOnGpu, DeviceError> {
        GuardedOnGpu::new(&self.gpu, self.instance.needs().scratch as usize)
    }

    /// Lends scratch memory for the next calls, and calls `reset`.
    ///
    /// # Safety
    /// As [`Instance::reset`], and the scratch memory is held until the next call of this.
    ///
    /// # Errors
    /// If it fails.
    pub(crate) unsafe fn reset(
        &mut self,
        scratch: &GuardedOnGpu,
        input: *const c_void,
    ) -> Result<(), DeviceError> {
        let bytes = self.instance.needs().scratch;
        self.instance.lend(scratch.as_ptr(), bytes);
        // Binds the context to this thread.
        self.gpu.native_stream()?;
        // SAFETY: as the caller promises.
        unsafe { self.instance.reset(input) }
    }

    /// Calls `run`; where the result will lie.
    ///
    /// # Safety
    /// As [`Instance::run`].
    ///
    /// # Errors
    /// If it fails.
    pub(crate) unsafe fn run(&mut self, input: *const c_void) -> Result<ResultIn, DeviceError> {
        if self.functions.waiting == Waiting::ForTheStream {
            self.gpu.let_go();
        }
        // SAFETY: as the caller promises.
        let ran = unsafe { self.instance.run(input) };
        if let Err(error) = ran {
            // What it started has to end before the buffers go. The first error tells.
            let _ = self.gpu.finish();
            return Err(error);
        }
        self.instance.result()
    }

    /// That it was run without buffers.
    pub(crate) fn not_reset(&self) -> DeviceError {
        self.instance.failed("was run without buffers".to_owned())
    }

    /// What went wrong in a plugin's kernels is told with its name.
    pub(crate) fn named(&self, error: DeviceError) -> DeviceError {
        match error {
            DeviceError::Kernel {
                device, problem, ..
            } => DeviceError::Kernel {
                kernels: format!("of {}", self.functions.plugin.file),
                device,
                problem,
            },
            other => other,
        }
    }

    /// From now on memory that is taken counts as the plugin's.
    pub(crate) fn watch_memory(&mut self) {
        self.free_before_run = free_bytes(&self.gpu);
    }

    /// The run that was watched is over.
    pub(crate) fn count_memory(&mut self) {
        let taken = taken_since(self.free_before_run.take(), &self.gpu);
        self.account.see(taken);
    }

    /// What a reader should know of its memory.
    pub(crate) fn remarks(&self) -> Vec<String> {
        self.account.remark().into_iter().collect()
    }

    /// Bytes that it has besides all buffers.
    pub(crate) fn bytes(&self) -> u64 {
        self.account.bytes()
    }
}

/// So many bytes in a GPU's memory, and a guard behind them.
pub(crate) struct GuardedOnGpu {
    buffer: DeviceBuffer<u8>,
}

impl GuardedOnGpu {
    /// With any content.
    ///
    /// # Errors
    /// If there is no room.
    pub(crate) fn new(gpu: &Gpu, bytes: usize) -> Result<Self, DeviceError> {
        Ok(GuardedOnGpu {
            buffer: gpu.buffer(bytes + GUARD)?,
        })
    }

    /// Without the guard.
    pub(crate) fn len(&self) -> usize {
        self.buffer.len() - GUARD
    }

    /// Where plugins find it.
    pub(crate) fn as_ptr<T>(&self) -> *mut T {
        with_exposed_provenance_mut(self.buffer.address() as usize)
    }

    /// With the guard, to be copied to and from.
    pub(crate) fn buffer(&self) -> &DeviceBuffer<u8> {
        &self.buffer
    }

    /// Overwrites all of it, the guard included.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn poison(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.fill(&self.buffer, POISON)
    }

    fn is_overrun(&self, gpu: &Gpu) -> Result<bool, DeviceError> {
        let mut guard = [0; GUARD];
        gpu.download_part(&mut guard[..], &self.buffer, self.len())?;
        gpu.finish()?;
        Ok(guard != [POISON; GUARD])
    }
}

/// What was written behind one of some buffers since they were poisoned.
///
/// # Errors
/// If the device refuses.
pub(crate) fn overrun<'b>(
    gpu: &Gpu,
    buffers: impl IntoIterator<Item = (&'static str, &'b GuardedOnGpu)>,
) -> Result<Option<String>, DeviceError> {
    for (name, buffer) in buffers {
        if buffer.is_overrun(gpu)? {
            return Ok(Some(format!("it wrote beyond the end of {name}")));
        }
    }
    Ok(None)
}

fn taken_since(before: Option<u64>, gpu: &Gpu) -> u64 {
    let taken = |before: u64| Some(before.saturating_sub(free_bytes(gpu)?));
    before.and_then(taken).unwrap_or(0)
}

fn free_bytes(gpu: &Gpu) -> Option<u64> {
    gpu.free_bytes().ok().flatten()
}
