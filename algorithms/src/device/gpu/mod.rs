//! A GPU as launchers see it: memory, copies, kernels and their times.
//!
//! | module | holds |
//! |---|---|
//! | `engine` | what a GPU has to be able to do: implemented by CUDA, HIP, wgpu and the emulator |
//! | `memory`, `host` | buffers on the device, and page-locked ones on the host |
//! | `pool` | buffers that are used again |
//! | `progress` | what was started, and what of it has ended |
//! | `table` | small arrays that the host makes |
//! | `lent` | page-locked inputs and tables, made once for all candidates |
//! | `kernel`, `arguments` | kernels with typed parameters |
//! | `image` | machine code of kernels, for old and new drivers |
//! | `timeline`, `launched`, `observe` | the times of copies and kernels, and what kernels take |
//! | `graph` | work that is recorded once and started as a whole |
//! | `gate` | holds a device until all is queued |
//! | `transfers` | copies, and those outside the clock |
//! | `small_copies` | those of a few bytes by a kernel |
//! | `monitor` | what is told of a GPU from outside: clocks, limits, energy |
//! | `driver_library` | loads the libraries of drivers |
//! | `cuda` | GPUs by NVIDIA, through the driver |
//! | `hip` | GPUs by AMD, through the HIP runtime |
//! | `webgpu` | GPUs of any make, whose kernels are shaders |
//! | `emulated` | kernels on the host |
//!
//! All work of a [`Gpu`] goes through one stream, in order. Copies and kernels
//! are started and not waited for; [`Gpu::finish`] waits. Only
//! [`Gpu::exchange`] uses a second stream, for the other direction, and
//! [`Gpu::in_queue`] some more.

mod arguments;
pub mod cuda;
mod driver_library;
mod emulated;
mod engine;
mod error;
mod gate;
mod graph;
pub mod hip;
mod host;
mod image;
mod kernel;
#[cfg(test)]
mod late;
mod launched;
mod lent;
mod memory;
pub mod monitor;
mod observe;
mod pool;
mod progress;
mod small_copies;
mod table;
#[cfg(test)]
mod tests;
mod timeline;
mod transfers;
pub mod webgpu;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;

use engine::{BESIDE, Engine};
use launched::Launched;
use timeline::{Mode, Timeline};

pub(crate) use arguments::Passed;
pub use arguments::{Argument, Arguments};
pub use engine::{Attributes, MOST_QUEUES, Properties, QUEUES, Shape, Side};
pub use error::DeviceError;
pub use graph::Graph;
pub(crate) use graph::Recorded;
pub use host::{FromHost, ManagedBuffer, MappedBuffer, PinnedBuffer, ToHost};
pub use image::Image;
pub(crate) use image::image;
pub use kernel::{Grid, Kernel, Ptr};
pub(crate) use kernel::{SameAs, Vector, same_as};
pub(crate) use lent::{Lent, Pristine};
pub use memory::DeviceBuffer;
pub use observe::KernelUse;
pub(crate) use table::Table;
pub(crate) use timeline::RESERVED_STAGES;

use memory::Memory;
use progress::Uses;

/// What every byte of a buffer is that a run has to overwrite, before it does: neither what
/// an input has nor a likely result.
pub(crate) const POISON: u8 = 0xa5;

/// A GPU, or what stands in for one.
pub struct Gpu {
    memory: Arc<Memory>,
    timeline: Mutex<Timeline>,
    launched: Mutex<Vec<Launched>>,
    /// See [`Gpu::copy_small_by_kernel`].
    small_by_kernel: AtomicBool,
}

impl Gpu {
    fn new(engine: impl Engine + 'static) -> Self {
        Gpu {
            memory: Arc::new(Memory::new(Box::new(engine))),
            timeline: Mutex::default(),
            launched: Mutex::default(),
            small_by_kernel: AtomicBool::new(false),
        }
    }

    /// What kind of GPU it is.
    pub fn properties(&self) -> &Properties {
        self.engine().properties()
    }

    /// A buffer on the device, of `length` elements with any values.
    ///
    /// # Errors
    /// If there is no room.
    pub fn buffer<T: Pod>(&self, length: usize) -> Result<DeviceBuffer<T>, DeviceError> {
        DeviceBuffer::new(&self.memory, length)
    }

    /// A page-locked buffer on the host, of `length` elements with any values.
    ///
    /// # Errors
    /// If there is no room.
    pub fn pinned<T: Pod>(&self, length: usize) -> Result<PinnedBuffer<T>, DeviceError> {
        PinnedBuffer::new(&self.memory, length)
    }

    /// A page-locked buffer on the host that kernels reach, of `length` elements
    /// with any values.
    ///
    /// # Errors
    /// If there is no room.
    pub fn mapped<T: Pod>(&self, length: usize) -> Result<MappedBuffer<T>, DeviceError> {
        MappedBuffer::new(&self.memory, length)
    }

    /// Whether kernels reach memory of the host: whether there are such buffers as
    /// [`Gpu::mapped`] and [`Gpu::managed`] give.
    pub fn maps_memory(&self) -> bool {
        self.engine().maps_memory()
    }

    /// A buffer of `length` elements with any values that host and device reach alike, no larger
    /// than what the device has free.
    ///
    /// # Errors
    /// If there is no room.
    pub fn managed<T: Pod>(&self, length: usize) -> Result<ManagedBuffer<T>, DeviceError> {
        ManagedBuffer::new(&self.memory, length)
    }

    /// Starts to move managed memory to one side.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn prefetch<T: Pod>(&self, buffer: &ManagedBuffer<T>, to: Side) -> Result<(), DeviceError> {
        if buffer.is_empty() {
            return Ok(());
        }
        let name = match to {
            Side::Host => "d2h",
            Side::Device => "h2d",
        };
        self.timed(name, buffer.size(), |engine| {
            // SAFETY: the buffer has so many bytes.
            unsafe { engine.prefetch(buffer.address(), buffer.size() as usize, to) }
        })
    }

    /// Bytes of device memory that nobody has; `None` where there is no limit.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn free_bytes(&self) -> Result<Option<u64>, DeviceError> {
        self.engine().free_bytes()
    }

    /// Sets each byte of a buffer.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn fill<T: Pod>(&self, buffer: &DeviceBuffer<T>, byte: u8) -> Result<(), DeviceError> {
        self.fill_first(buffer, buffer.len(), byte)
    }

    /// Sets each byte of the first elements of a buffer.
    ///
    /// # Errors
    /// If the driver refuses.
    pub(crate) fn fill_first<T: Pod>(
        &self,
        buffer: &DeviceBuffer<T>,
        length: usize,
        byte: u8,
    ) -> Result<(), DeviceError> {
        assert!(length <= buffer.len(), "more than the buffer holds");
        let bytes = length * size_of::<T>();
        self.timed("memset", bytes as u64, |engine| {
            // SAFETY: the buffer has so many bytes, any of which make a `T`.
            unsafe { engine.fill(buffer.address(), byte, bytes) }
        })
    }

    /// Starts a kernel; one without any block is left out.
    ///
    /// # Safety
    /// The kernel must stay within the buffers that it is given, and nobody
    /// may use them otherwise until it has ended.
    ///
    /// # Errors
    /// If it can't be started.
    pub unsafe fn launch<A: Arguments>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
        arguments: A,
    ) -> Result<(), DeviceError> {
        if grid.blocks == 0 {
            return Ok(());
        }
        let (shape, arguments) = (kernel.shape(self, grid), arguments.values());
        self.note_launch(kernel.image, kernel.name, &shape);
        self.timed(kernel.name, shape.bytes, |engine| {
            // SAFETY: as the caller promises; the types are those that the
            // kernel was declared with.
            unsafe { engine.launch(kernel.image, kernel.name, &shape, &arguments) }
        })
    }

    /// Starts copies and kernels in a queue, by its number below [`MOST_QUEUES`]: queues run side
    /// by side, and each in order. What was started before must be finished. Where
    /// times are taken, all goes to one queue: of two things at once, neither has a time.
    ///
    /// # Errors
    /// Those of the work, or if the device has no room for a queue.
    pub fn in_queue<R>(
        &self,
        queue: u32,
        work: impl FnOnce() -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        if self.timeline().mode() != Mode::Off {
            return work();
        }
        self.choose_queue(queue)?;
        let worked = work();
        self.choose_queue(0)?;
        worked
    }

    /// Within [`Gpu::in_queue`]: what is started from now on in this queue waits for all that
    /// is in the first one so far.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn follow_first_queue(&self) -> Result<(), DeviceError> {
        self.engine().follow_first_queue()
    }

    /// How many seconds some work takes on the device while it does something else, which is
    /// started after it and may wait; `None` where times mean nothing. Waits until all is
    /// done.
    ///
    /// # Errors
    /// Those of both, or if the device has no room for another queue.
    pub fn seconds_beside(
        &self,
        work: impl FnOnce() -> Result<(), DeviceError>,
        other: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<Option<f64>, DeviceError> {
        self.finish()?;
        self.choose_queue(BESIDE)?;
        let started = self.between_marks(work);
        self.choose_queue(0)?;
        started?;
        other()?;
        self.finish()?;
        self.engine().seconds_between(0, 1)
    }

    fn choose_queue(&self, queue: u32) -> Result<(), DeviceError> {
        self.engine().choose_queue(queue)?;
        self.memory.progress.choose(queue);
        Ok(())
    }

    /// Starts some work between the first two marks.
    fn between_marks(
        &self,
        work: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.engine().mark(0)?;
        work()?;
        self.engine().mark(1)
    }

    /// What was put into the stream by others since the last mark, as a stage.
    ///
    /// # Errors
    /// If the driver refuses.
    pub(crate) fn lap(&self, name: &'static str) -> Result<(), DeviceError> {
        self.timed(name, 0, |_| Ok(()))
    }

    /// The stream as the driver knows it, for others who put work into it from this
    /// thread.
    ///
    /// # Errors
    /// If the driver refuses.
    pub(crate) fn native_stream(&self) -> Result<usize, DeviceError> {
        // Nobody knows what they start.
        self.memory.progress.start(None);
        self.engine().native_stream()
    }

    /// Lets the device begin what was started so far: somebody else is about to wait
    /// for it.
    pub(crate) fn let_go(&self) {
        let hold = self.engine().let_go();
        self.timeline().lets_go(hold);
    }

    /// Waits until all is done.
    ///
    /// # Errors
    /// What went wrong on the device since it was last waited for; or that what
    /// is started is being recorded, so that there is nothing to wait for.
    pub fn finish(&self) -> Result<(), DeviceError> {
        self.before_waiting()?;
        let now = self.memory.progress.now();
        let finished = self.engine().finish();
        // After an error nothing is under way either.
        self.memory.progress.all_ended(&now);
        finished
    }

    /// Waits until what is in the queue of the work around it is done, by default the
    /// first one: see [`Gpu::in_queue`].
    ///
    /// # Errors
    /// As [`Gpu::finish`].
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.before_waiting()?;
        let now = self.memory.progress.now();
        let waited = self.engine().wait();
        self.memory.progress.chosen_ended(&now);
        waited
    }

    fn before_waiting(&self) -> Result<(), DeviceError> {
        if let Mode::Recording(_) = self.timeline().mode() {
            return Err(DeviceError::Failed {
                device: self.properties().device.clone(),
                what: "waiting",
                problem: "work that is recorded can't wait for the device".to_owned(),
            });
        }
        let hold = self.engine().let_go();
        self.timeline().waits(hold);
        Ok(())
    }

    /// Frees the memory on the device that nobody has. Page-locked memory, which takes long
    /// to be had, is kept for the next candidates, and freed when several calls of this
    /// have found it unused.
    pub fn trim(&self) {
        self.memory.trim();
    }

    /// Whether something went wrong that this GPU object can't recover from.
    pub fn is_lost(&self) -> bool {
        self.engine().is_lost()
    }

    fn engine(&self) -> &dyn Engine {
        self.memory.engine.as_ref()
    }

    /// Does something on the stream, and marks its end.
    fn timed(
        &self,
        name: &'static str,
        bytes: u64,
        start: impl FnOnce(&dyn Engine) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.timed_use(None, name, bytes, start)
    }

    /// The same, which uses memory of the host until it has ended.
    fn timed_use(
        &self,
        uses: Option<&Uses>,
        name: &'static str,
        bytes: u64,
        start: impl FnOnce(&dyn Engine) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.timeline().before(self.engine())?;
        self.memory.progress.start(uses);
        start(self.engine())?;
        self.timeline().after(name, bytes, self.engine())
    }

    fn timeline(&self) -> MutexGuard<'_, Timeline> {
        lock(&self.timeline)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
