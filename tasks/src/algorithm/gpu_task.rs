//! Tasks on a GPU, as their buffers and what a run does with them.

use std::borrow::Cow;
use std::sync::Arc;

use portable_gpu::{DeviceError, Gpu};

use super::{Algorithm, CheckError, Metric, PrepareResult, Runner, VariantContext, Work};
use crate::device::{Arena, Buffers, Execution, Unavailable};

/// Buffers of a run on a GPU: how they are allocated, what a run does with them, and where its
/// output is. See [`Runner`] for the functions.
pub trait GpuTask<'a>: Buffers + Sized + 'a {
    /// The task.
    type Task: Algorithm;
    /// Values that differ between variants, and those that stay from one run to the next.
    type Config: Send + 'a;

    /// True if there are [figures](GpuTask::figures).
    const HAS_FIGURES: bool = false;

    /// See [`Runner::allocate`].
    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError>;

    /// See [`Runner::load`].
    fn load(&mut self, _: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        Ok(())
    }

    /// See [`Runner::run`].
    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError>;

    /// See [`Runner::inspect`].
    fn inspect(&mut self, _: &GpuRunner<'a, Self>) -> Result<(), CheckError> {
        Ok(())
    }

    /// See [`Runner::remarks`].
    fn remarks(_: &GpuRunner<'a, Self>) -> Vec<String> {
        Vec::new()
    }

    /// See [`Runner::figures`].
    fn figures(&mut self, _: &GpuRunner<'a, Self>) -> Result<Vec<Metric>, DeviceError> {
        Ok(Vec::new())
    }

    /// See [`Runner::sample`].
    fn sample(_: &GpuRunner<'a, Self>) -> Option<Work> {
        None
    }

    /// See [`Runner::output`].
    fn output(&self, at: &GpuRunner<'a, Self>) -> Cow<'_, <Self::Task as Algorithm>::Output>;

    /// See [`Runner::release`].
    fn release(self, _: &mut Self::Config) {}
}

/// A task on a GPU with its input.
pub struct GpuRunner<'a, T: GpuTask<'a>> {
    /// The input.
    pub input: &'a <T::Task as Algorithm>::Input,
    /// Arena of the input.
    pub arena: &'a Arena,
    /// The device.
    pub gpu: Arc<Gpu>,
    /// Host threads that parts of the work may use.
    pub threads: usize,
    /// The differences between variants.
    pub config: T::Config,
}

impl<'a, T: GpuTask<'a>> GpuRunner<'a, T> {
    /// The device, arena and threads of its buffers.
    pub fn execution(&self) -> Execution<'_, 'a> {
        Execution { gpu: &self.gpu, arena: self.arena, threads: self.threads }
    }
}

impl<'a, T: GpuTask<'a>> Runner<T::Task> for GpuRunner<'a, T> {
    type Buffers = T;

    fn allocate(&self) -> Result<T, DeviceError> {
        T::allocate(self)
    }

    fn load(&mut self, buffers: &mut T) -> Result<(), DeviceError> {
        buffers.load(self)
    }

    fn run(&mut self, buffers: &mut T) -> Result<(), DeviceError> {
        buffers.run(self)
    }

    fn inspect(&mut self, buffers: &mut T) -> Result<(), CheckError> {
        buffers.inspect(self)
    }

    fn remarks(&self) -> Vec<String> {
        T::remarks(self)
    }

    fn has_figures(&self) -> bool {
        T::HAS_FIGURES
    }

    fn figures(&mut self, buffers: &mut T) -> Result<Vec<Metric>, DeviceError> {
        buffers.figures(self)
    }

    fn sample(&self) -> Option<Work> {
        T::sample(self)
    }

    fn output<'b>(&'b self, buffers: &'b T) -> Cow<'b, <T::Task as Algorithm>::Output> {
        buffers.output(self)
    }

    fn release(&mut self, buffers: T) {
        buffers.release(&mut self.config);
    }
}

impl<'a, A: Algorithm> VariantContext<'a, '_, A> {
    /// Prepares a task on the GPU of the target.
    pub fn on_gpu<T: GpuTask<'a, Task = A>>(&self, config: T::Config) -> PrepareResult<'a, A> {
        let gpu = self.gpu()?;
        let threads = self.threads();
        self.session(GpuRunner::<T> { input: self.input, arena: self.arena, gpu, threads, config })
    }
}

/// Fails if there are more digis than kernels can count.
pub fn limit_digis(digis: usize, max: usize) -> Result<(), Unavailable> {
    if digis <= max {
        return Ok(());
    }
    Err(Unavailable(format!("{digis} digis; on a GPU {max} is the most; use fewer")))
}
