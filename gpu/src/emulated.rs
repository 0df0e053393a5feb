//! The emulator, which runs kernels on the host, as a GPU. It has no clock.

use std::sync::Arc;

use cuda_emulator::{
    self as emulator, Config, Emulator, EmulatorError, Execution, Launch, QueueConfig,
    QueuedEmulator,
};

use super::engine::{
    ALL_QUEUES, Attributes, Engine, FIRST_QUEUE, MemoryKind, Properties, Recording, Shape,
    Transfer, host_pointer,
};
use super::{Argument, DeviceError, Gpu, Image, host_memory};

/// Number of multiprocessors that launchers divide work by: small, so that small inputs have large
/// parts.
const MULTIPROCESSORS: u32 = 4;
/// Maximum shared memory of a block on a Hopper GPU.
const SHARED_BYTES: u32 = 227 << 10;
/// Resident threads of a multiprocessor of a Hopper GPU.
const MULTIPROCESSOR_THREADS: u32 = 2048;
/// Maximum number of threads of a block in CUDA.
const MAX_THREADS: u32 = 1024;

const DEVICE: &str = "emulator";

struct EmulatedEngine {
    properties: Properties,
    queues: Arc<QueuedEmulator>,
}

/// Returns the reason why this build can't emulate, if it can't.
pub fn unavailable() -> Option<&'static str> {
    crate::kernels::emulated::KERNELS.unavailable()
}

impl Gpu {
    /// Creates an emulator that runs copies and kernels when they are started.
    ///
    /// # Errors
    /// If this build has no emulator.
    pub fn emulated(config: Config) -> Result<Self, DeviceError> {
        Self::emulated_queues(config, Execution::Eager)
    }

    /// Creates an emulator with queues, which run copies and kernels later, in the order that
    /// `execution` specifies.
    ///
    /// # Errors
    /// If this build has no emulator.
    pub fn emulated_queues(config: Config, execution: Execution) -> Result<Self, DeviceError> {
        if let Some(reason) = unavailable() {
            let reason = EmulatorError::Unavailable(reason).to_string();
            return Err(DeviceError::Unusable { device: DEVICE.to_owned(), reason });
        }
        let queues = QueueConfig { queues: ALL_QUEUES as usize, execution };
        Ok(Gpu::new(EmulatedEngine {
            properties: Properties {
                device: DEVICE.to_owned(),
                name: format!("kernels on the host, {} lanes", config.lanes.count()),
                lanes: config.lanes.count(),
                multiprocessors: MULTIPROCESSORS,
                multiprocessor_threads: MULTIPROCESSOR_THREADS,
                memory_bytes: 0,
                l2_bytes: 0,
                shared_bytes: SHARED_BYTES,
                has_shaders: false,
                runs_block_by_block: false,
            },
            queues: Arc::new(QueuedEmulator::new(Emulator::new(config), queues)),
        }))
    }

    /// The queues of the emulator, for tests that inject faults; `None` on other devices.
    pub fn emulator_queues(&self) -> Option<&QueuedEmulator> {
        self.engine().emulator_queues()
    }
}

impl EmulatedEngine {
    fn emulator(&self) -> &Emulator {
        self.queues.emulator()
    }
}

impl Engine for EmulatedEngine {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Kernels run on the host: mapped and managed memory is an ordinary allocation, which the host
    /// has initialised.
    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<u64, DeviceError> {
        if kind == MemoryKind::Pinned {
            self.queues.check_size(bytes).map_err(|error| failed("page-locking", &error))?;
            let start = host_memory::allocate(bytes)?;
            // SAFETY: it is freed by `free` alone.
            unsafe { self.queues.lock_pages(start, bytes) };
            return Ok(start.expose_provenance() as u64);
        }
        let allocated = self.queues.allocate(bytes);
        let address = allocated.map_err(|error| failed("allocating", &error))?.address();
        if kind == MemoryKind::Device {
            return Ok(address);
        }
        let shared = self.emulator().write_at(address, &vec![0; bytes]);
        shared
            .and_then(|()| self.emulator().share_with_host(address))
            .map_err(|error| failed("mapping", &error))?;
        // SAFETY: it is freed by `free` alone.
        unsafe { self.queues.lock_pages(host_pointer(address), bytes) };
        Ok(address)
    }

    unsafe fn free(&self, kind: MemoryKind, address: u64, bytes: usize) {
        if kind != MemoryKind::Device {
            self.queues.unlock_pages(host_pointer(address));
        }
        if kind == MemoryKind::Pinned {
            // SAFETY: as the caller promises.
            return unsafe { host_memory::free(host_pointer(address), bytes) };
        }
        // An unknown address is not in use either.
        let _ = self.emulator().free_at(address);
    }

    unsafe fn start(&self, queue: u32, transfer: Transfer) -> Result<(), DeviceError> {
        let queue = queue as usize;
        // SAFETY: as the caller promises.
        let started = unsafe {
            match transfer {
                Transfer::Upload { to, from, bytes } => self.queues.upload(queue, to, from, bytes),
                Transfer::Download { to, from, bytes } => {
                    self.queues.download(queue, to, from, bytes)
                }
                Transfer::Copy { to, from, bytes } => self.queues.copy(queue, to, from, bytes),
                Transfer::Fill { to, byte, bytes } => self.queues.fill(queue, to, byte, bytes),
                Transfer::Prefetch { .. } => Ok(()),
            }
        };
        started.map_err(|error| failed(transfer.name(), &error))
    }

    unsafe fn launch(
        &self,
        queue: u32,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let launch = Launch::linear(shape.blocks, shape.threads)
            .with_shared_bytes(shape.shared_bytes as usize)
            .with_declared_bytes(shape.bytes);
        let arguments: Vec<_> = arguments.iter().map(emulator_argument).collect();
        let named = image.emulated.named(kernel);
        // SAFETY: as the caller promises.
        let launched = unsafe { self.queues.launch(queue as usize, named, &launch, &arguments) };
        launched.map_err(|error| launch_error(kernel, error))
    }

    fn wait_for_first_queue(&self, queue: u32) -> Result<(), DeviceError> {
        self.queues.follow(queue as usize, FIRST_QUEUE as usize);
        Ok(())
    }

    /// Resources as on a GPU whose blocks are limited by threads and shared memory alone.
    fn attributes(
        &self,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, DeviceError> {
        let shared = self.emulator().static_shared_bytes(image.emulated.named(kernel));
        let shared = shared.map_err(|error| launch_error(kernel, error))? as u32;
        let by_threads = MULTIPROCESSOR_THREADS / shape.threads.max(1);
        let by_shared = SHARED_BYTES / (shared + shape.shared_bytes).max(1);
        Ok(Attributes {
            registers: None,
            shared_bytes: shared,
            local_bytes: None,
            max_threads: MAX_THREADS,
            resident_blocks: by_threads.min(by_shared),
        })
    }

    fn declared_shared_bytes(&self, image: &'static Image, kernel: &'static str) -> Option<u32> {
        self.emulator().declared_shared_bytes(image.emulated.named(kernel)).ok()
    }

    fn records(&self) -> bool {
        true
    }

    fn start_recording(&self) -> Result<(), DeviceError> {
        let started = self.queues.start_recording(FIRST_QUEUE as usize);
        started.map_err(|error| failed("recording", &error))
    }

    fn end_recording(&self) -> Result<Box<dyn Recording>, DeviceError> {
        let ended = self.queues.end_recording();
        let commands = ended.map_err(|error| failed("recording", &error))?;
        Ok(Box::new(EmulatedRecording { queues: Arc::clone(&self.queues), commands }))
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.queues.finish().map_err(work_error)
    }

    fn wait(&self, queue: u32) -> Result<(), DeviceError> {
        self.queues.wait(queue as usize).map_err(work_error)
    }

    /// Eager execution allocates each time, so that an access past the end of a buffer is detected.
    /// Queues use pooled memory, as on a GPU.
    fn reuses_memory(&self) -> bool {
        self.queues.execution() != Execution::Eager
    }

    fn on_reuse(&self, queue: u32, address: u64) -> Result<(), DeviceError> {
        let forgotten = self.queues.forget(queue as usize, address);
        forgotten.map_err(|error| failed("allocating", &error))
    }

    fn emulator_queues(&self) -> Option<&QueuedEmulator> {
        Some(&self.queues)
    }

    fn is_lost(&self) -> bool {
        self.queues.is_lost()
    }
}

/// Recorded commands with their queues.
struct EmulatedRecording {
    queues: Arc<QueuedEmulator>,
    commands: emulator::Recording,
}

impl Recording for EmulatedRecording {
    fn replay(&self) -> Result<(), DeviceError> {
        // SAFETY: the caller of `Gpu::start_recorded` promises that its buffers still exist.
        let started = unsafe { self.queues.replay(FIRST_QUEUE as usize, &self.commands) };
        started.map_err(work_error)
    }
}

fn emulator_argument(argument: &Argument) -> emulator::Argument<'_> {
    match argument {
        Argument::Word { bits, bytes } => emulator::Argument::first_bytes(bits, *bytes),
        Argument::Struct { bytes, .. } => emulator::Argument::bytes(bytes),
    }
}

fn failed(what: &'static str, error: &EmulatorError) -> DeviceError {
    DeviceError::Failed { device: DEVICE.to_owned(), what, problem: error.to_string() }
}

/// Converts an error of work that was started before.
fn work_error(error: EmulatorError) -> DeviceError {
    match error.kernel() {
        Some(kernel) => DeviceError::Kernel {
            device: DEVICE.to_owned(),
            kernels: kernel.to_owned(),
            problem: error.to_string(),
        },
        None => failed("work", &error),
    }
}

fn launch_error(kernel: &'static str, error: EmulatorError) -> DeviceError {
    match error {
        EmulatorError::UnknownKernel { .. }
        | EmulatorError::ArgumentCount { .. }
        | EmulatorError::ArgumentSize { .. }
        | EmulatorError::Shape { .. }
        | EmulatorError::Resources { .. } => {
            let device = DEVICE.to_owned();
            DeviceError::Launch { device, kernel, problem: error.to_string() }
        }
        _ => work_error(error),
    }
}
