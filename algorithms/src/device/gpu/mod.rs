//! A GPU as launchers see it: memory, copies, kernels and their times.
//!
//! | module | holds |
//! |---|---|
//! | `engine` | what a GPU has to be able to do: implemented by CUDA, HIP, wgpu and the emulator |
//! | `memory`, `host` | buffers on the device, and page-locked ones on the host |
//! | `host_memory` | memory of the host where none is page-locked |
//! | `pool` | buffers that are used again |
//! | `progress` | what was started, and what of it has ended |
//! | `table` | small arrays that the host makes |
//! | `lent` | page-locked inputs and tables, made once for all candidates |
//! | `kernel`, `arguments` | kernels with typed parameters |
//! | `image` | machine code of kernels, for old and new drivers |
//! | `submission` | starts work: counted and put into its queue as one step |
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
//! A [`Gpu`] is a handle to a device and to one of its queues. Copies and kernels are started and
//! not waited for; [`Gpu::wait`] waits for those of the queue, [`Gpu::finish`] for all. Work of a
//! queue runs in the order in which it was started. All goes to the first queue, but for the work of
//! [`Gpu::in_queue`] and the downloads of [`Gpu::exchange`]. A handle can be used by several
//! threads at once.

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
mod host_memory;
mod image;
mod kernel;
mod launched;
mod lent;
mod memory;
pub mod monitor;
mod observe;
mod pool;
mod progress;
mod small_copies;
mod submission;
mod table;
#[cfg(test)]
mod tests;
mod timeline;
mod transfers;
pub mod webgpu;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;

use engine::{BESIDE, Engine, FIRST_QUEUE};
use graph::RecordedUses;
use launched::Launched;
use timeline::Mode;

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

/// What every byte of a buffer is that a run has to overwrite, before it does: neither what
/// an input has nor a likely result.
pub(crate) const POISON: u8 = 0xa5;

/// Handle to a GPU, or to a stand-in for one, and to one of its queues.
pub struct Gpu {
    shared: Arc<Shared>,
    /// The queue of the work that is started by this handle.
    queue: u32,
    /// The recording that takes the work, if there is one.
    recording: Option<Arc<RecordedUses>>,
}

/// State that all handles of a GPU have in common.
struct Shared {
    memory: Arc<Memory>,
    launched: Mutex<Vec<Launched>>,
    /// See [`Gpu::copy_small_by_kernel`].
    small_by_kernel: AtomicBool,
}

impl Gpu {
    fn new(engine: impl Engine + 'static) -> Self {
        let shared = Shared {
            memory: Arc::new(Memory::new(Box::new(engine))),
            launched: Mutex::default(),
            small_by_kernel: AtomicBool::new(false),
        };
        Gpu { shared: Arc::new(shared), queue: FIRST_QUEUE, recording: None }
    }

    /// Handle to the same GPU for the work of a queue that is ready.
    fn for_queue(&self, queue: u32) -> Self {
        Gpu { shared: Arc::clone(&self.shared), queue, recording: self.recording.clone() }
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
        DeviceBuffer::new(self, length)
    }

    /// A page-locked buffer on the host, of `length` elements with any values.
    ///
    /// # Errors
    /// If there is no room.
    pub fn pinned<T: Pod>(&self, length: usize) -> Result<PinnedBuffer<T>, DeviceError> {
        PinnedBuffer::new(self, length)
    }

    /// A page-locked buffer on the host that kernels reach, of `length` elements
    /// with any values.
    ///
    /// # Errors
    /// If there is no room.
    pub fn mapped<T: Pod>(&self, length: usize) -> Result<MappedBuffer<T>, DeviceError> {
        MappedBuffer::new(self, length)
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
        ManagedBuffer::new(self, length)
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
        self.timed(name, buffer.size(), |engine, queue| {
            // SAFETY: the buffer has that many bytes.
            unsafe { engine.prefetch(queue, buffer.address(), buffer.size() as usize, to) }
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
        self.timed("memset", bytes as u64, |engine, queue| {
            // SAFETY: the buffer has that many bytes, any of which make a `T`.
            unsafe { engine.fill(queue, buffer.address(), byte, bytes) }
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
        self.timed(kernel.name, shape.bytes, |engine, queue| {
            // SAFETY: as the caller promises; the types are those that the
            // kernel was declared with.
            unsafe { engine.launch(queue, kernel.image, kernel.name, &shape, &arguments) }
        })
    }

    /// Does some work with a handle to a queue, by its number below [`MOST_QUEUES`]: queues run
    /// concurrently, and each in order. What the work needs of other queues must have ended, or it
    /// follows them by [`Gpu::follow_first_queue`]. Where times are taken or work is recorded, all
    /// goes to one queue: of two kernels at once, neither has a time.
    ///
    /// # Errors
    /// Those of the work, or if the device has no memory for a queue.
    pub fn in_queue<R>(
        &self,
        queue: u32,
        work: impl FnOnce(&Gpu) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        if self.submission().timeline.mode() != Mode::Off {
            return work(self);
        }
        self.engine().open_queue(queue)?;
        work(&self.for_queue(queue))
    }

    /// Lets all that is started in the queue of this handle from now on wait for the work that is in
    /// the first queue so far.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn follow_first_queue(&self) -> Result<(), DeviceError> {
        if self.queue == FIRST_QUEUE {
            return Ok(());
        }
        self.start_untimed(self.queue, &[], &mut |engine, queue| engine.follow_first_queue(queue))
    }

    /// How many seconds some work takes on the device while it does something else, which is
    /// started after it and may wait; `None` where times mean nothing. Waits until all is
    /// done.
    ///
    /// # Errors
    /// Those of both, or if the device has no memory for another queue.
    pub fn seconds_beside(
        &self,
        work: impl FnOnce(&Gpu) -> Result<(), DeviceError>,
        other: impl FnOnce(&Gpu) -> Result<(), DeviceError>,
    ) -> Result<Option<f64>, DeviceError> {
        self.finish()?;
        self.engine().open_queue(BESIDE)?;
        self.engine().mark(BESIDE, 0)?;
        work(&self.for_queue(BESIDE))?;
        self.engine().mark(BESIDE, 1)?;
        other(&self.for_queue(FIRST_QUEUE))?;
        self.finish()?;
        self.engine().seconds_between(0, 1)
    }

    /// What was put into the stream by others since the last mark, as a stage.
    ///
    /// # Errors
    /// If the driver refuses.
    pub(crate) fn lap(&self, name: &'static str) -> Result<(), DeviceError> {
        self.timed(name, 0, |_, _| Ok(()))
    }

    /// The stream as the driver knows it, for others who put work into it from this
    /// thread.
    ///
    /// # Errors
    /// If the driver refuses.
    pub(crate) fn native_stream(&self) -> Result<usize, DeviceError> {
        // Counted as a step, since what they start is unknown.
        let mut stream = 0;
        self.start_untimed(FIRST_QUEUE, &[], &mut |engine, _| {
            stream = engine.native_stream()?;
            Ok(())
        })?;
        Ok(stream)
    }

    /// Lets the device begin what was started so far: somebody else is about to wait
    /// for it.
    pub(crate) fn let_go(&self) {
        let hold = self.engine().let_go();
        self.submission().timeline.lets_go(hold);
    }

    /// Waits until all work has ended.
    ///
    /// # Errors
    /// What went wrong on the device since it was last waited for; or that what
    /// is started is being recorded, so that there is nothing to wait for.
    pub fn finish(&self) -> Result<(), DeviceError> {
        self.before_waiting()?;
        self.memory().finish()
    }

    /// Waits until the work in the queue of this handle has ended.
    ///
    /// # Errors
    /// As [`Gpu::finish`].
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.before_waiting()?;
        self.memory().wait(self.queue)
    }

    fn before_waiting(&self) -> Result<(), DeviceError> {
        if self.is_recording() {
            return Err(self.memory().failed("waiting", "work that is recorded can't wait"));
        }
        let hold = self.engine().let_go();
        self.submission().timeline.waits(hold);
        Ok(())
    }

    /// Frees the memory on the device that nobody has. Page-locked memory, which takes long
    /// to be had, is kept for the next candidates, and freed when several calls of this
    /// have found it unused.
    pub fn trim(&self) {
        self.memory().trim();
    }

    /// Whether something went wrong that this GPU object can't recover from.
    pub fn is_lost(&self) -> bool {
        self.engine().is_lost()
    }

    fn memory(&self) -> &Arc<Memory> {
        &self.shared.memory
    }

    fn engine(&self) -> &dyn Engine {
        self.shared.memory.engine.as_ref()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
