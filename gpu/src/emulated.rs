//! The emulator, which runs kernels on the host, as a GPU. It has no clock.

use std::any::Any;
use std::sync::Arc;

use cuda_emulator::{
    self as emulator, Config, Emulator, EmulatorError, Event, Execution, Launch, QueueConfig,
    QueuedEmulator,
};

use super::engine::{
    ALL_QUEUES, Attributes, Engine, EngineEvent, FIRST_QUEUE, MemoryKind, PeerCopy, Properties,
    Recording, Shape, Transfer, host_pointer,
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
        let mut gpus = emulated(config, execution, &[DEVICE.to_owned()])?;
        Ok(gpus.remove(0))
    }

    /// Creates `count` emulators, `emulator:0` and so on, which are the devices of one machine: their
    /// queues wait for each other's [events](crate::Event), and copies from one to another run later
    /// too, as `execution` specifies.
    ///
    /// # Errors
    /// If this build has no emulator.
    pub fn emulated_devices(
        count: u32,
        config: Config,
        execution: Execution,
    ) -> Result<Vec<Self>, DeviceError> {
        let names: Vec<_> = (0..count).map(|index| format!("{DEVICE}:{index}")).collect();
        emulated(config, execution, &names)
    }

    /// The queues of the emulator, for tests that inject faults; `None` on other devices.
    pub fn emulator_queues(&self) -> Option<&QueuedEmulator> {
        self.engine().emulator_queues()
    }
}

/// The emulators of a machine, with these names.
pub(super) fn emulated(
    config: Config,
    execution: Execution,
    names: &[String],
) -> Result<Vec<Gpu>, DeviceError> {
    if let Some(reason) = unavailable() {
        let reason = EmulatorError::Unavailable(reason).to_string();
        return Err(DeviceError::Unusable { device: DEVICE.to_owned(), reason });
    }
    let queues = QueueConfig { queues: ALL_QUEUES as usize, execution };
    let emulators = names.iter().map(|_| Emulator::new(config)).collect();
    let devices = QueuedEmulator::machine(emulators, queues);
    let gpu = |(name, queues): (&String, QueuedEmulator)| {
        let properties = properties(name, config);
        Gpu::new(EmulatedEngine { properties, queues: Arc::new(queues) })
    };
    Ok(names.iter().zip(devices).map(gpu).collect())
}

fn properties(name: &str, config: Config) -> Properties {
    Properties {
        device: name.to_owned(),
        name: format!("kernels on the host, {} lanes", config.lanes.count()),
        lanes: config.lanes.count(),
        multiprocessors: MULTIPROCESSORS,
        multiprocessor_threads: MULTIPROCESSOR_THREADS,
        memory_bytes: 0,
        l2_bytes: 0,
        shared_bytes: SHARED_BYTES,
        has_shaders: false,
        runs_block_by_block: false,
    }
}

impl EmulatedEngine {
    fn emulator(&self) -> &Emulator {
        self.queues.emulator()
    }

    fn device(&self) -> String {
        self.properties.device.clone()
    }

    fn failed(&self, what: &'static str, error: &EmulatorError) -> DeviceError {
        DeviceError::Failed { device: self.device(), what, problem: error.to_string() }
    }

    /// Converts an error of work that was started before.
    fn work_error(&self, error: EmulatorError) -> DeviceError {
        work_error(self.device(), error)
    }

    fn launch_error(&self, kernel: &'static str, error: EmulatorError) -> DeviceError {
        match error {
            EmulatorError::UnknownKernel { .. } | EmulatorError::Unavailable(_) => {
                let reason = error.to_string();
                DeviceError::MissingCode { device: self.device(), kernel, reason }
            }
            EmulatorError::ArgumentCount { .. }
            | EmulatorError::ArgumentSize { .. }
            | EmulatorError::Shape { .. }
            | EmulatorError::Resources { .. } => {
                let device = self.device();
                DeviceError::Launch { device, kernel, problem: error.to_string() }
            }
            _ => self.work_error(error),
        }
    }

    /// The event of an emulator in an event of any engine.
    fn event<'e>(&self, event: &'e EngineEvent) -> Result<&'e Event, DeviceError> {
        event
            .downcast_ref()
            .ok_or_else(|| DeviceError::OtherDevice { device: self.device(), what: "event" })
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
            self.queues.check_size(bytes).map_err(|error| self.failed("page-locking", &error))?;
            let start = host_memory::allocate(bytes)?;
            // SAFETY: it is freed by `free` alone.
            unsafe { self.queues.lock_pages(start, bytes) };
            return Ok(start.expose_provenance() as u64);
        }
        let allocated = self.queues.allocate(bytes);
        let address = allocated.map_err(|error| self.failed("allocating", &error))?.address();
        if kind == MemoryKind::Device {
            return Ok(address);
        }
        let shared = self.emulator().write_at(address, &vec![0; bytes]);
        shared
            .and_then(|()| self.emulator().share_with_host(address))
            .map_err(|error| self.failed("mapping", &error))?;
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
        started.map_err(|error| self.failed(transfer.name(), &error))
    }

    unsafe fn launch(
        &self,
        queue: u32,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let launch = Launch {
            grid: shape.grid,
            block: shape.block,
            shared_bytes: shape.shared_bytes as usize,
            declared_bytes: shape.bytes,
        };
        let arguments: Vec<_> = arguments.iter().map(emulator_argument).collect();
        let named = image.emulated.named(kernel);
        // SAFETY: as the caller promises.
        let launched = unsafe { self.queues.launch(queue as usize, named, &launch, &arguments) };
        launched.map_err(|error| self.launch_error(kernel, error))
    }

    fn wait_for_first_queue(&self, queue: u32) -> Result<(), DeviceError> {
        self.queues.follow(queue as usize, FIRST_QUEUE as usize);
        Ok(())
    }

    fn record_event(&self, queue: u32) -> Result<EngineEvent, DeviceError> {
        Ok(Box::new(self.queues.record_event(queue as usize)))
    }

    fn follow_event(&self, queue: u32, event: &EngineEvent) -> Result<bool, DeviceError> {
        let event = event.downcast_ref();
        Ok(event.is_some_and(|event| self.queues.follow_event(queue as usize, event)))
    }

    fn has_ended(&self, event: &EngineEvent) -> Result<bool, DeviceError> {
        let ended = self.queues.has_ended(self.event(event)?);
        ended.map_err(|error| self.work_error(error))
    }

    fn wait_for_event(&self, event: &EngineEvent) -> Result<(), DeviceError> {
        let waited = self.queues.wait_for_event(self.event(event)?);
        waited.map_err(|error| self.work_error(error))
    }

    unsafe fn copy_from_peer(
        &self,
        queue: u32,
        peer: &dyn Engine,
        PeerCopy { to, from, bytes }: PeerCopy,
    ) -> Result<bool, DeviceError> {
        let peer: &dyn Any = peer;
        let peer = peer.downcast_ref::<Self>().map(|peer| &peer.queues);
        let Some(peer) = peer.filter(|peer| self.queues.shares_machine(peer)) else {
            return Ok(false);
        };
        let started = self.queues.copy_from_peer(queue as usize, to, peer, from, bytes);
        started.map_err(|error| self.failed("copying from another device", &error))?;
        Ok(true)
    }

    /// Resources as on a GPU whose blocks are limited by threads and shared memory alone.
    fn attributes(
        &self,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, DeviceError> {
        let shared = self.emulator().static_shared_bytes(image.emulated.named(kernel));
        let shared = shared.map_err(|error| self.launch_error(kernel, error))? as u32;
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
        started.map_err(|error| self.failed("recording", &error))
    }

    fn end_recording(&self) -> Result<Box<dyn Recording>, DeviceError> {
        let ended = self.queues.end_recording();
        let commands = ended.map_err(|error| self.failed("recording", &error))?;
        Ok(Box::new(EmulatedRecording {
            device: self.device(),
            queues: Arc::clone(&self.queues),
            commands,
        }))
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.queues.finish().map_err(|error| self.work_error(error))
    }

    fn wait(&self, queue: u32) -> Result<(), DeviceError> {
        self.queues.wait(queue as usize).map_err(|error| self.work_error(error))
    }

    /// Eager execution allocates each time, so that an access past the end of a buffer is detected.
    /// Queues use pooled memory, as on a GPU.
    fn reuses_memory(&self) -> bool {
        self.queues.execution() != Execution::Eager
    }

    fn on_reuse(&self, queue: u32, address: u64) -> Result<(), DeviceError> {
        let forgotten = self.queues.forget(queue as usize, address);
        forgotten.map_err(|error| self.failed("allocating", &error))
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
    device: String,
    queues: Arc<QueuedEmulator>,
    commands: emulator::Recording,
}

impl Recording for EmulatedRecording {
    fn replay(&self) -> Result<(), DeviceError> {
        // SAFETY: the caller of `Gpu::start_recorded` promises that its buffers still exist.
        let started = unsafe { self.queues.replay(FIRST_QUEUE as usize, &self.commands) };
        started.map_err(|error| work_error(self.device.clone(), error))
    }
}

fn emulator_argument(argument: &Argument) -> emulator::Argument<'_> {
    match argument {
        Argument::Word { bits, bytes } => emulator::Argument::first_bytes(bits, *bytes),
        Argument::Struct { bytes, .. } => emulator::Argument::bytes(bytes),
    }
}

/// Converts an error of work that was started before.
fn work_error(device: String, error: EmulatorError) -> DeviceError {
    let problem = error.to_string();
    match error.kernel() {
        Some(kernel) => DeviceError::Kernel { device, kernels: kernel.to_owned(), problem },
        None => DeviceError::Failed { device, what: "work", problem },
    }
}
