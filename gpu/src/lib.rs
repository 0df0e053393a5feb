//! A GPU as launchers see it: memory, copies, kernels and their times.
//!
//! | module | holds |
//! |---|---|
//! | `engine` | interface of the backends: CUDA, HIP, wgpu and the emulator |
//! | `memory`, `host` | buffers on the device, and page-locked ones on the host |
//! | `host_memory` | host memory for devices without page-locked memory |
//! | `pool` | reuse of freed memory |
//! | `progress` | counts of started and of ended work |
//! | `kernel`, `arguments` | kernels with typed parameters |
//! | `image` | machine code of kernels, for old and new drivers |
//! | `step` | a step of work, and the host memory that it uses |
//! | `submission` | counts work and puts it into its queue as one step |
//! | `timeline`, `launched`, `observe` | times of copies and kernels, and resources of kernels |
//! | `graph` | work that is recorded once and started with one call |
//! | `gate` | blocks a stream until all work is queued |
//! | `transfers` | timed and untimed copies |
//! | `kernels` | includes the modules made of kernels, here of those for small copies and `ceilings` |
//! | [`ceilings`] | limits of memory and link, by work without any computation |
//! | [`timing`] | times of the parts of a run |
//! | `monitor` | state of a GPU as its driver reports it: clocks, limits, energy |
//! | `driver` | what backends with a vendor's driver have in common |
//! | `driver_library` | loads the libraries of drivers |
//! | `cuda` | GPUs by NVIDIA, through the driver |
//! | `hip` | GPUs by AMD, through the HIP runtime |
//! | `webgpu` | GPUs of any make, whose kernels are shaders |
//! | `emulated` | kernels on the host |
//!
//! A [`Gpu`] is a handle to a device and to one of its queues. Copies and kernels are asynchronous;
//! [`Gpu::wait`] waits for those of the queue, [`Gpu::finish`] for all. Work of a queue runs in the
//! order in which it was started. All work goes to the first queue, except the work of
//! [`Gpu::with_queue`] and the downloads of [`Gpu::exchange`]. Several threads may use a handle at
//! once.

extern crate self as portable_gpu;

mod arguments;
pub mod ceilings;
pub mod cuda;
mod devices;
mod driver;
mod driver_library;
mod emulated;
pub mod emulator;
mod engine;
mod error;
mod event;
mod gate;
mod graph;
pub mod hip;
mod host;
mod host_memory;
mod image;
mod kernel;
mod kernels;
mod launched;
mod memory;
pub mod monitor;
mod observe;
mod peer;
mod pool;
mod progress;
mod queue;
mod step;
mod submission;
#[cfg(test)]
mod tests;
mod timeline;
pub mod timing;
mod transfers;
pub mod webgpu;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;

use engine::{Engine, FIRST_QUEUE, INTERFERENCE_QUEUE, Transfer};
use launched::Launched;
use step::RecordedUses;
use timeline::Mode;

pub use arguments::{Argument, Arguments, KernelArg};
pub use devices::ListedDevice;
pub use engine::{Attributes, MAX_LEASED_QUEUES, MAX_QUEUES, Properties, QUEUES, Shape, Side};
pub use error::DeviceError;
pub use event::Event;
pub use graph::{Graph, Recorded};
pub use host::{FromHost, ManagedBuffer, MappedBuffer, PinnedBuffer, ToHost};
pub use image::{Access, Image, Parameter, Shader};
pub use kernel::{Kernel, LaunchConfig, LayoutCompatible, Ptr, Vector};
#[doc(hidden)]
pub use kernels::launchers;
pub use memory::DeviceBuffer;
pub use observe::KernelUse;
pub use queue::Queue;
pub use timeline::RESERVED_STAGES;

use memory::Memory;
use queue::Leases;

/// Value of each byte of a buffer before a run that has to overwrite it: neither a value of an
/// input nor a likely result.
pub const POISON: u8 = 0xa5;

/// Handle to a GPU, or to a software replacement for one, and to one of its queues.
pub struct Gpu {
    shared: Arc<Shared>,
    /// Queue of the work that is started by this handle.
    queue: u32,
    /// Recording in progress that the work goes into.
    recording: Option<Arc<RecordedUses>>,
}

/// State that all handles of a GPU share.
struct Shared {
    memory: Arc<Memory>,
    launched: Mutex<Vec<Launched>>,
    /// See [`Gpu::copy_small_by_kernel`].
    small_by_kernel: AtomicBool,
    leases: Leases,
}

impl Gpu {
    fn new(engine: impl Engine + 'static) -> Self {
        let shared = Shared {
            memory: Arc::new(Memory::new(Box::new(engine))),
            launched: Mutex::default(),
            small_by_kernel: AtomicBool::new(false),
            leases: Leases::default(),
        };
        Gpu { shared: Arc::new(shared), queue: FIRST_QUEUE, recording: None }
    }

    /// Returns a handle to the same GPU for an open queue.
    fn for_queue(&self, queue: u32) -> Self {
        Gpu { shared: Arc::clone(&self.shared), queue, recording: self.recording.clone() }
    }

    /// Properties of the GPU.
    pub fn properties(&self) -> &Properties {
        self.engine().properties()
    }

    /// Allocates a buffer on the device, of `length` elements with arbitrary values.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn buffer<T: Pod>(&self, length: usize) -> Result<DeviceBuffer<T>, DeviceError> {
        DeviceBuffer::new(self, length)
    }

    /// Allocates a page-locked buffer on the host, of `length` elements with arbitrary values.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn pinned<T: Pod>(&self, length: usize) -> Result<PinnedBuffer<T>, DeviceError> {
        PinnedBuffer::new(self, length)
    }

    /// Allocates a page-locked buffer on the host that kernels can access, of `length` elements
    /// with arbitrary values.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn mapped<T: Pod>(&self, length: usize) -> Result<MappedBuffer<T>, DeviceError> {
        MappedBuffer::new(self, length)
    }

    /// True if kernels can access host memory, so that [`Gpu::mapped`] and [`Gpu::managed`] work.
    pub fn maps_memory(&self) -> bool {
        self.engine().maps_memory()
    }

    /// Allocates a buffer that host and device can access, of `length` elements with arbitrary
    /// values, no larger than the free memory of the device.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn managed<T: Pod>(&self, length: usize) -> Result<ManagedBuffer<T>, DeviceError> {
        ManagedBuffer::new(self, length)
    }

    /// Starts to migrate managed memory to one side.
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
        let bytes = buffer.size() as usize;
        self.timed(name, buffer.size(), |engine, queue| {
            let transfer = Transfer::Prefetch { address: buffer.address(), bytes, to };
            // SAFETY: the buffer has that many bytes.
            unsafe { engine.start(queue, transfer) }
        })
    }

    /// Bytes of free device memory; `None` if there is no limit.
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
    pub fn fill_first<T: Pod>(
        &self,
        buffer: &DeviceBuffer<T>,
        length: usize,
        byte: u8,
    ) -> Result<(), DeviceError> {
        assert!(length <= buffer.len(), "more than the buffer holds");
        let bytes = length * size_of::<T>();
        self.timed("memset", bytes as u64, |engine, queue| {
            // SAFETY: the buffer has that many bytes, any of which make a `T`.
            unsafe { engine.start(queue, Transfer::Fill { to: buffer.address(), byte, bytes }) }
        })
    }

    /// Starts a kernel; does nothing for a grid without blocks.
    ///
    /// # Safety
    /// The kernel must stay within the buffers of its arguments, and no other code may use them
    /// until it has ended.
    ///
    /// # Errors
    /// If it can't be started.
    pub unsafe fn launch<A: Arguments>(
        &self,
        kernel: &Kernel<A>,
        grid: LaunchConfig,
        arguments: A,
    ) -> Result<(), DeviceError> {
        if grid.is_empty() {
            return Ok(());
        }
        let shape = kernel.shape(self, grid)?;
        let arguments = arguments.values();
        self.note_launch(kernel.image, kernel.name, &shape);
        self.timed(kernel.name, shape.bytes, |engine, queue| {
            // SAFETY: the caller promises that the kernel stays within its buffers; the argument
            // types are those of the kernel's declaration.
            unsafe { engine.launch(queue, kernel.image, kernel.name, &shape, &arguments) }
        })
    }

    /// Runs `work` with a handle to a queue, an index below [`MAX_QUEUES`]: queues run
    /// concurrently, and each in order. Work of other queues that it depends on must have ended, or
    /// be waited for with [`Gpu::wait_for_first_queue`]. While times are taken or work is recorded,
    /// everything runs in one queue, since concurrent kernels can't be timed separately.
    ///
    /// # Errors
    /// Errors of the work, or if the device has no memory for a queue.
    pub fn with_queue<R>(
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

    /// Makes all work that is started in the queue of this handle from now on wait for the work
    /// that is in the first queue so far.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn wait_for_first_queue(&self) -> Result<(), DeviceError> {
        if self.queue == FIRST_QUEUE {
            return Ok(());
        }
        self.start_untimed(self.queue, &[], &mut |engine, queue| engine.wait_for_first_queue(queue))
    }

    /// Measures the seconds that `work` takes on the device while `other`, which is started after
    /// it and may wait, runs concurrently. Returns `None` if the device has no clock. Waits until
    /// all work has ended.
    ///
    /// # Errors
    /// Errors of both, or if the device has no memory for another queue.
    pub fn seconds_alongside(
        &self,
        work: impl FnOnce(&Gpu) -> Result<(), DeviceError>,
        other: impl FnOnce(&Gpu) -> Result<(), DeviceError>,
    ) -> Result<Option<f64>, DeviceError> {
        self.finish()?;
        self.engine().open_queue(INTERFERENCE_QUEUE)?;
        self.engine().mark(INTERFERENCE_QUEUE, 0)?;
        work(&self.for_queue(INTERFERENCE_QUEUE))?;
        self.engine().mark(INTERFERENCE_QUEUE, 1)?;
        other(&self.for_queue(FIRST_QUEUE))?;
        self.finish()?;
        self.engine().seconds_between(0, 1)
    }

    /// Times the work that other code has put into the stream since the last mark, as a stage.
    pub fn lap(&self, name: &'static str) -> Result<(), DeviceError> {
        self.timed(name, 0, |_, _| Ok(()))
    }

    /// Handle of the stream in the driver, for other code that puts work into it from this thread.
    pub fn native_stream(&self) -> Result<usize, DeviceError> {
        // Counted as a step, since the work of that code is unknown.
        let mut stream = 0;
        self.start_untimed(FIRST_QUEUE, &[], &mut |engine, _| {
            stream = engine.native_stream()?;
            Ok(())
        })?;
        Ok(stream)
    }

    /// Releases the stream, for other code that is about to wait for the device.
    pub fn release_stream(&self) {
        let hold = self.engine().release_stream();
        self.submission().timeline.released(hold);
    }

    /// Waits until all work has ended.
    ///
    /// # Errors
    /// Failures of work since the last wait; or if work is being recorded, so that there is nothing
    /// to wait for.
    pub fn finish(&self) -> Result<(), DeviceError> {
        self.before_waiting()?;
        self.memory().finish()
    }

    /// Waits until the work in the queue of this handle has ended.
    ///
    /// # Errors
    /// Failures of work since the last wait, as with [`Gpu::finish`].
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.before_waiting()?;
        self.memory().wait(self.current_queue())
    }

    fn before_waiting(&self) -> Result<(), DeviceError> {
        if self.is_recording() {
            return Err(self.memory().failed("waiting", "work that is recorded can't wait"));
        }
        let hold = self.engine().release_stream();
        self.submission().timeline.before_wait(hold);
        Ok(())
    }

    /// Frees unused device memory. Page-locked memory, which is slow to allocate, is kept for the
    /// next candidates, and freed when several calls have found it unused.
    pub fn trim(&self) {
        self.memory().trim();
    }

    /// True after an error from which this `Gpu` can't recover.
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
