//! Kernels on the host, in the place of a GPU. Times mean nothing here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::{Attributes, Engine, Properties, Shape};
use super::{Argument, DeviceError, Gpu, Image};
use crate::device::emulator::{self, Allocation, Config, Emulator, EmulatorError, Launch};

/// What launchers divide work by: few, so that small inputs have large parts.
const MULTIPROCESSORS: u32 = 4;
/// As much as a block can have on a Hopper GPU.
const SHARED_BYTES: u32 = 227 << 10;
/// What a multiprocessor of it has.
const MULTIPROCESSOR_THREADS: u32 = 2048;
/// What CUDA allows.
const MOST_THREADS: u32 = 1024;

const DEVICE: &str = "emulator";

/// An emulator with what it has allocated.
struct EmulatedEngine {
    properties: Properties,
    emulator: Emulator,
    allocations: Mutex<Vec<Allocation>>,
}

impl Gpu {
    /// The emulator, run as `config` says.
    ///
    /// # Errors
    /// If this build has none.
    pub fn emulated(config: Config) -> Result<Self, DeviceError> {
        let emulator = Emulator::new(&emulator::KERNELS, config).map_err(|error| {
            DeviceError::Unusable { device: DEVICE.to_owned(), reason: error.to_string() }
        })?;
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
            emulator,
            allocations: Mutex::default(),
        }))
    }
}

impl EmulatedEngine {
    fn allocations(&self) -> MutexGuard<'_, Vec<Allocation>> {
        self.allocations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at(&self, address: u64) -> Result<Allocation, DeviceError> {
        self.find(address, |allocation| allocation.address() == address)
    }

    /// The allocation that an address lies in.
    fn around(&self, address: u64) -> Result<Allocation, DeviceError> {
        self.find(address, |allocation| {
            let start = allocation.address();
            (start..start + allocation.bytes() as u64).contains(&address)
        })
    }

    fn find(
        &self,
        address: u64,
        is_it: impl Fn(&Allocation) -> bool,
    ) -> Result<Allocation, DeviceError> {
        let all = self.allocations();
        let found = all.iter().find(|allocation| is_it(allocation));
        found.copied().ok_or_else(|| {
            let problem = format!("nothing was allocated at {address:#x}");
            failed("copying", problem)
        })
    }

    fn write(&self, to: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let written = self.emulator.write(self.at(to)?, bytes);
        written.map_err(|error| failed("copying to the device", error.to_string()))
    }
}

fn failed(what: &'static str, problem: String) -> DeviceError {
    DeviceError::Failed { device: DEVICE.to_owned(), what, problem }
}

impl Engine for EmulatedEngine {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError> {
        let allocated = self.emulator.allocate(bytes);
        let allocation = allocated.map_err(|error| failed("allocating", error.to_string()))?;
        self.allocations().push(allocation);
        Ok(allocation.address())
    }

    unsafe fn free(&self, address: u64) {
        let mut all = self.allocations();
        let found = all.iter().position(|a| a.address() == address);
        if let Some(allocation) = found.map(|at| all.swap_remove(at)) {
            // Nobody can do anything about it.
            let _ = self.emulator.free(allocation);
        }
    }

    fn pin(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        let no_room = DeviceError::OutOfPinnedMemory { needed: bytes as u64 };
        let mut words = Vec::<u64>::new();
        let length = bytes.div_ceil(size_of::<u64>());
        words.try_reserve_exact(length).map_err(|_| no_room)?;
        words.resize(length, 0);
        Ok(Box::into_raw(words.into_boxed_slice()).cast())
    }

    unsafe fn unpin(&self, start: *mut u8, bytes: usize) {
        let length = bytes.div_ceil(size_of::<u64>());
        // SAFETY: `pin` made a box of so many words there.
        drop(unsafe {
            Box::from_raw(std::ptr::slice_from_raw_parts_mut(start.cast::<u64>(), length))
        });
    }

    /// Kernels run on the host: what they reach is an allocation, all of which
    /// the host has written.
    fn map(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        let address = self.allocate(bytes)?;
        self.write(address, &vec![0; bytes])?;
        Ok(std::ptr::with_exposed_provenance_mut(address as usize))
    }

    unsafe fn unmap(&self, start: *mut u8, _: usize) {
        // SAFETY: as the caller promises.
        unsafe { self.free(start.expose_provenance() as u64) }
    }

    unsafe fn upload(&self, to: u64, from: *const u8, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        self.write(to, unsafe { std::slice::from_raw_parts(from, bytes) })
    }

    unsafe fn download(&self, to: *mut u8, from: u64, bytes: usize) -> Result<(), DeviceError> {
        let allocation = self.around(from)?;
        let first = (from - allocation.address()) as usize;
        // SAFETY: as the caller promises.
        let to = unsafe { std::slice::from_raw_parts_mut(to, bytes) };
        let read = self.emulator.read(allocation, first, to);
        read.map_err(|error| failed("copying from the device", error.to_string()))
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        let copied = self.emulator.copy(self.at(to)?, self.at(from)?, bytes);
        copied.map_err(|error| failed("copying on the device", error.to_string()))
    }

    unsafe fn fill(&self, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        self.write(to, &vec![byte; bytes])
    }

    unsafe fn launch(
        &self,
        _: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let launch = Launch::linear(shape.blocks, shape.threads)
            .with_shared_bytes(shape.shared_bytes as usize);
        let arguments: Vec<_> = arguments.iter().map(emulator_argument).collect();
        // SAFETY: as the caller promises.
        let launched = unsafe { self.emulator.launch(kernel, &launch, &arguments) };
        launched.map(drop).map_err(|error| launch_error(kernel, error))
    }

    /// As on a GPU whose blocks are limited by threads and shared memory alone.
    fn attributes(
        &self,
        _: &'static Image,
        kernel: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, DeviceError> {
        let shared = self.emulator.static_shared_bytes(kernel);
        let shared = shared.map_err(|error| launch_error(kernel, error))? as u32;
        let by_threads = MULTIPROCESSOR_THREADS / shape.threads.max(1);
        let by_shared = SHARED_BYTES / (shared + shape.shared_bytes).max(1);
        Ok(Attributes {
            registers: None,
            shared_bytes: shared,
            local_bytes: None,
            most_threads: MOST_THREADS,
            resident_blocks: by_threads.min(by_shared),
        })
    }

    fn declared_shared_bytes(&self, _: &'static Image, kernel: &'static str) -> Option<u32> {
        self.emulator.declared_shared_bytes(kernel).ok()
    }

    /// Reads of what nobody has written are found in fresh memory only.
    fn reuses_memory(&self) -> bool {
        false
    }
}

fn emulator_argument(argument: &Argument) -> emulator::Argument<'_> {
    match argument {
        Argument::Word { bits, bytes } => emulator::Argument::first_bytes(bits, *bytes),
        Argument::Struct(bytes) => emulator::Argument::bytes(bytes),
    }
}

fn launch_error(kernel: &'static str, error: EmulatorError) -> DeviceError {
    let (device, problem) = (DEVICE.to_owned(), error.to_string());
    match error {
        EmulatorError::UnknownKernel { .. }
        | EmulatorError::ArgumentCount { .. }
        | EmulatorError::ArgumentSize { .. }
        | EmulatorError::Shape { .. }
        | EmulatorError::Resources { .. } => DeviceError::Launch { device, kernel, problem },
        _ => DeviceError::Kernel { device, kernels: kernel.to_owned(), problem },
    }
}
