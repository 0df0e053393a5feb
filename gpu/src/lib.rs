//! GPUs by CUDA, HIP and wgpu behind one interface, and an emulator that runs the same CUDA C++
//! kernels on the CPU and finds their races.
//!
//! ```
//! use portable_gpu::{DeviceError, Gpu};
//!
//! /// Copies some numbers to a device, from there to other memory of it, and back.
//! fn copies(device: &str) -> Result<Vec<u32>, DeviceError> {
//!     let gpu = Gpu::open(device)?;              // "cuda:0", "hip:0", "wgpu:0", "emulator"
//!     let numbers = gpu.table(&[1_u32, 2, 3])?;  // to the device
//!     let copy = gpu.buffer::<u32>(3)?;          // memory there, freed when it is dropped
//!     gpu.copy(&copy, &numbers)?;                // starts; the host does not wait
//!     gpu.read_back(&copy, 0..3)                 // to the host, when all work has ended
//! }
//!
//! # if portable_gpu::emulator::unavailable().is_some() { return Ok(()) }
//! assert_eq!(copies("emulator")?, [1, 2, 3]);
//! # Ok::<(), DeviceError>(())
//! ```
//!
//! # Kernels
//!
//! Kernels are CUDA C++ in files of a crate, with WGSL beside them for wgpu. Its build script,
//! `portable_gpu_build::Kernels::in_folders(["kernels"]).compile()`, makes a module of each file:
//! with its constants and structs, a struct of the arguments of each kernel, and a [`Kernel`]. So a
//! launcher that does not fit the kernel does not compile:
//!
//! ```ignore
//! mod kernels {
//!     portable_gpu::include_kernels!();
//! }
//! use kernels::vector_add::{VECTOR_ADD, VectorAdd};
//!
//! let arguments = VectorAdd { x: x.ptr(), y: y.ptr(), z: z.ptr(), count };
//! // SAFETY: all three buffers have `count` elements.
//! unsafe { gpu.launch(&VECTOR_ADD, VECTOR_ADD.grid_for(count as usize), arguments) }?;
//! ```
//!
//! # Reading order
//!
//! 1. [`Gpu`]: devices, buffers, copies, launches. [`Gpu::list`] has the devices of this machine.
//! 2. [`DeviceBuffer`] and, for fast copies, [`PinnedBuffer`].
//! 3. [`Kernel`] and [`LaunchConfig`]: blocks in up to three dimensions.
//! 4. [`Queue`] and [`Event`]: work that runs concurrently, and its order.
//! 5. [`Gpu::capture`]: graphs, and [`Gpu::copy_from_peer`]: several devices.
//! 6. [`emulator`]: kernels under the race checker, queues that run late.
//! 7. [`Gpu::start_timeline`] and [`timing`]: times of copies and kernels.
//!
//! `gpu/examples` has a short program for each of these; its README compares this crate to others.
//!
//! # Order
//!
//! Copies and kernels are asynchronous. A [`Gpu`] is a handle to a device and to one of its queues,
//! in which work runs in the order in which it was started; all work goes to the first queue, except
//! that of a [`Queue`], of [`Gpu::with_queue`], and the downloads of [`Gpu::exchange`].
//! [`Gpu::wait`] waits for the queue, [`Gpu::finish`] for all. Page-locked buffers wait by themselves
//! before they are read or written, and memory that is dropped is not reused before the work that was
//! started has ended. Several threads may use a handle at once.
//!
//! # Inside
//!
//! | module | holds |
//! |---|---|
//! | `engine` | interface of the backends: CUDA, HIP, wgpu and the emulator |
//! | `memory`, `host` | buffers on the device, and page-locked ones on the host |
//! | `host_memory` | host memory for devices without page-locked memory |
//! | `pool` | reuse of freed memory |
//! | `progress` | counts of started and of ended work |
//! | `kernel`, `arguments` | kernels with typed parameters |
//! | `devices` | devices by their names |
//! | `queue`, `event` | queues and events as values |
//! | `peer` | copies between devices |
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
//! | [`nvtx`] | named ranges for profilers |
//! | `driver` | what backends with a vendor's driver have in common |
//! | `driver_library` | loads the libraries of drivers |
//! | `cuda` | GPUs by NVIDIA, through the driver |
//! | `hip` | GPUs by AMD, through the HIP runtime |
//! | `webgpu` | GPUs of any make, whose kernels are shaders |
//! | `emulated` | kernels on the host |

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
pub mod nvtx;
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

use engine::{Engine, FIRST_QUEUE, Transfer};
use launched::Launched;
use step::RecordedUses;

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
    ///
    /// # Errors
    /// If it has fewer elements, or the driver refuses.
    pub fn fill_first<T: Pod>(
        &self,
        buffer: &DeviceBuffer<T>,
        length: usize,
        byte: u8,
    ) -> Result<(), DeviceError> {
        buffer.check("a fill", 0, length)?;
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
