//! The wgpu backend. Work is recorded, and submitted when the host waits or a piece of a large copy
//! is ready: all in one queue, and in order.
//!
//! | module | holds |
//! |---|---|
//! | `work` | started work, and its resources |
//! | `dispatch` | launches of shaders |
//! | `allocations` | buffers by addresses |
//! | `pipelines` | shaders, compiled for the GPU |
//! | `unroll` | unrolls their loops |
//! | `staging` | copies between host and device |
//! | `clock` | timestamps |
//! | `faults` | errors of the device |

mod allocations;
mod clock;
mod dispatch;
mod faults;
mod pipelines;
mod staging;
#[cfg(test)]
mod tests;
mod unroll;
mod work;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgpu::{Device, DeviceDescriptor, Features, MemoryHints, PollType, Queue};

use self::clock::Clock;
use self::dispatch::Grid;
use self::faults::Faults;
use self::pipelines::Pipelines;
use self::staging::{PIECE, WORD};
use self::work::{PendingWork, Recording};
use super::probe::KnownAdapter;
use super::{Adapter, Checks};
use crate::cuda::Awake;
use crate::engine::{
    Attributes, BlockEnd, Engine, EngineEvent, MemoryKind, Properties, Shape, Transfer,
    host_pointer,
};
use crate::{Argument, DeviceError, Image, host_memory};

/// Optional features that shaders use.
const OPTIONAL_FEATURES: Features = Features::TIMESTAMP_QUERY
    .union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(Features::SUBGROUP)
    .union(Features::SUBGROUP_BARRIER)
    .union(Features::SHADER_INT64)
    .union(Features::SHADER_F64);

/// wgpu does not report the number of multiprocessors. Launchers divide work into a few parts for
/// each: this is about the number that large GPUs have.
const MULTIPROCESSORS: u32 = 128;
const MULTIPROCESSORS_OF_SOFTWARE: u32 = 4;
/// Warp size for launchers if there are no subgroups; shaders that need subgroups then fail to
/// load.
const MIN_LANES: u32 = 4;
/// Threads of a multiprocessor, as a lower limit.
const MULTIPROCESSOR_THREADS: u32 = 1024;
/// Maximum number of bytes in pending copies between host and device, unless all work is to be
/// timed.
const MAX_PENDING_BYTES: u64 = 1 << 30;

/// A device with its queue.
pub(crate) struct WebGpuEngine {
    properties: Properties,
    adapter: Adapter,
    device: Device,
    queue: Queue,
    /// Maximum number of blocks in one dimension of a grid.
    max_blocks_in_row: u32,
    pipelines: Pipelines,
    faults: Arc<Faults>,
    work: Mutex<PendingWork>,
    /// Keeps the clock up if CUDA knows the GPU, too.
    _awake: Option<Awake>,
}

/// A point in the queue of a device.
struct QueueEvent(Device);

impl WebGpuEngine {
    pub(crate) fn new(found: &KnownAdapter, checks: Checks) -> Result<Self, String> {
        let adapter = found.adapter.clone();
        let features = found.handle.features();
        if !features.contains(Features::IMMEDIATES) {
            return Err(format!("{} has no immediate data for shaders", adapter.name));
        }
        let request = found.handle.request_device(&DeviceDescriptor {
            label: None,
            required_features: features & OPTIONAL_FEATURES | Features::IMMEDIATES,
            required_limits: found.handle.limits(),
            memory_hints: MemoryHints::Performance,
            ..DeviceDescriptor::default()
        });
        let (device, queue) = pollster::block_on(request).map_err(|error| error.to_string())?;
        let clock = Clock::new(&device, &queue).filter(|_| !adapter.is_software);
        Ok(WebGpuEngine {
            properties: properties(&adapter),
            pipelines: Pipelines::new(adapter.clone(), checks),
            faults: Faults::for_device(&device),
            work: Mutex::new(PendingWork::with(clock)),
            max_blocks_in_row: device.limits().max_compute_workgroups_per_dimension,
            _awake: Awake::keep(&adapter.name, &adapter.pci_bus_id),
            adapter,
            device,
            queue,
        })
    }

    fn work(&self) -> MutexGuard<'_, PendingWork> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, what: &'static str, problem: impl Into<String>) -> DeviceError {
        let device = self.properties.device.clone();
        DeviceError::Failed { device, what, problem: problem.into() }
    }

    fn nothing_at(&self, address: u64) -> DeviceError {
        self.failed("looking for memory", format!("nothing was allocated at {address:#x}"))
    }

    /// Waits for all work that was started, and delivers downloads to the host.
    fn settle(&self, work: &mut PendingWork) -> Result<(), DeviceError> {
        work.submit(&self.queue);
        work.staging.ask();
        let polled = self.device.poll(PollType::wait_indefinitely());
        let delivered = work.staging.deliver(&self.device);
        let running = std::mem::take(&mut work.running);
        if let Some(problem) = self.faults.take() {
            let kernels = if running.is_empty() { "none".to_owned() } else { running.join(", ") };
            return Err(DeviceError::Kernel {
                device: self.properties.device.clone(),
                kernels,
                problem,
            });
        }
        polled.map_err(|error| self.failed("waiting", error.to_string()))?;
        delivered.ok_or_else(|| self.failed("copying from the device", "it did not arrive"))
    }

    /// Submits a piece of a copy, and limits the number of pending bytes.
    fn next_piece(&self, work: &mut PendingWork) -> Result<(), DeviceError> {
        if work.is_held {
            return Ok(());
        }
        if work.staging.under_way() > MAX_PENDING_BYTES {
            return self.settle(work);
        }
        work.submit(&self.queue);
        Ok(())
    }

    fn allocate_buffer(&self, needed: u64) -> Result<u64, DeviceError> {
        let max = self.adapter.largest_buffer;
        let device = || self.properties.device.clone();
        if needed > max {
            return Err(DeviceError::TooLarge { device: device(), needed, max });
        }
        let added = self.work().allocations.add(&self.device, needed);
        let no_room = || DeviceError::OutOfMemory { device: device(), needed, free: 0, total: 0 };
        added.ok_or_else(no_room)
    }

    fn upload(&self, to: u64, from: &[u8]) -> Result<(), DeviceError> {
        let whole = from.len() - from.len() % WORD;
        let (pieces, rest) = from.split_at(whole);
        let mut work = self.work();
        for (piece, index) in pieces.chunks(PIECE).zip(0_u64..) {
            let at = to + index * PIECE as u64;
            let Recording { encoder, allocations, staging, .. } = work.recording(&self.device);
            let to = allocations.at(at).ok_or_else(|| self.nothing_at(at))?;
            let started = staging.upload(&self.device, encoder, to, piece);
            started.ok_or_else(|| self.failed("copying to the device", "it has no memory"))?;
            self.next_piece(&mut work)?;
        }
        if rest.is_empty() {
            return Ok(());
        }
        // Bytes after the last one stay unchanged.
        let mut last = [0; WORD];
        last[..rest.len()].copy_from_slice(rest);
        let mask = (1 << (8 * rest.len())) - 1;
        self.set(&mut work, to, (whole / WORD) as u64, 1, u32::from_le_bytes(last), mask)
    }

    fn download(&self, to: *mut u8, from: u64, bytes: usize) -> Result<(), DeviceError> {
        let mut work = self.work();
        for first in (0..bytes).step_by(PIECE) {
            let at = from + first as u64;
            let Recording { encoder, allocations, staging, .. } = work.recording(&self.device);
            let from = allocations.at(at).ok_or_else(|| self.nothing_at(at))?;
            let piece = PIECE.min(bytes - first);
            staging.download(&self.device, encoder, from, to.wrapping_add(first), piece);
            self.next_piece(&mut work)?;
        }
        // Other memory may be freed after the call.
        if work.is_pinned(to) { Ok(()) } else { self.settle(&mut work) }
    }

    fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        let mut work = self.work();
        let Recording { encoder, allocations, .. } = work.recording(&self.device);
        let source = allocations.at(from).ok_or_else(|| self.nothing_at(from))?;
        let target = allocations.at(to).ok_or_else(|| self.nothing_at(to))?;
        // Buffers have full words; bytes after the last element are not used.
        let bytes = bytes.next_multiple_of(WORD) as u64;
        encoder.copy_buffer_to_buffer(
            source.buffer,
            source.offset,
            target.buffer,
            target.offset,
            bytes,
        );
        Ok(())
    }

    fn fill(&self, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        let mut work = self.work();
        let words = (bytes / WORD) as u64;
        let rest = bytes % WORD;
        let value = u32::from_ne_bytes([byte; WORD]);
        if words > 0 && byte == 0 {
            let Recording { encoder, allocations, .. } = work.recording(&self.device);
            let target = allocations.at(to).ok_or_else(|| self.nothing_at(to))?;
            encoder.clear_buffer(target.buffer, target.offset, Some(words * WORD as u64));
        } else if words > 0 {
            self.set(&mut work, to, 0, words, value, !0)?;
        }
        if rest > 0 {
            self.set(&mut work, to, words, 1, value, (1 << (8 * rest)) - 1)?;
        }
        Ok(())
    }
}

fn properties(adapter: &Adapter) -> Properties {
    Properties {
        device: format!("wgpu:{}", adapter.number),
        name: adapter.name.clone(),
        lanes: adapter.lanes.map_or(MIN_LANES, |(min, _)| min),
        multiprocessors: if adapter.is_software {
            MULTIPROCESSORS_OF_SOFTWARE
        } else {
            MULTIPROCESSORS
        },
        multiprocessor_threads: MULTIPROCESSOR_THREADS,
        memory_bytes: 0,
        l2_bytes: 0,
        shared_bytes: adapter.shared_bytes,
        has_shaders: true,
        runs_block_by_block: adapter.is_software,
    }
}

impl Engine for WebGpuEngine {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Page-locked memory is ordinary memory: the device copies from and to staging buffers.
    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<u64, DeviceError> {
        match kind {
            MemoryKind::Device => self.allocate_buffer(bytes as u64),
            MemoryKind::Pinned => {
                let start = host_memory::allocate(bytes)?;
                self.work().pinned.insert(start.addr(), start.addr() + bytes);
                Ok(start.expose_provenance() as u64)
            }
            MemoryKind::Mapped | MemoryKind::Managed => {
                Err(self.failed("mapping memory", "shaders reach no memory of the host"))
            }
        }
    }

    unsafe fn free(&self, kind: MemoryKind, address: u64, bytes: usize) {
        let mut work = self.work();
        if kind == MemoryKind::Device {
            work.bindings.clear();
            work.allocations.remove(address);
            return;
        }
        let start = host_pointer(address);
        work.pinned.remove(&start.addr());
        // SAFETY: as the caller promises.
        unsafe { host_memory::free(start, bytes) }
    }

    fn maps_memory(&self) -> bool {
        false
    }

    unsafe fn start(&self, _: u32, transfer: Transfer) -> Result<(), DeviceError> {
        match transfer {
            Transfer::Upload { to, from, bytes } => {
                // SAFETY: as the caller promises.
                self.upload(to, unsafe { std::slice::from_raw_parts(from, bytes) })
            }
            Transfer::Download { to, from, bytes } => self.download(to, from, bytes),
            Transfer::Copy { to, from, bytes } => self.copy(to, from, bytes),
            Transfer::Fill { to, byte, bytes } => self.fill(to, byte, bytes),
            Transfer::Prefetch { .. } => Ok(()),
        }
    }

    unsafe fn launch(
        &self,
        _: u32,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let device = || self.properties.device.clone();
        let shader = image.shader(kernel).ok_or_else(|| {
            let reason = "it is not there as a shader; write it in WGSL".to_owned();
            DeviceError::MissingCode { device: device(), kernel, reason }
        })?;
        let grid = Grid::new(shape, self.max_blocks_in_row)
            .map_err(|problem| DeviceError::Launch { device: device(), kernel, problem })?;
        self.dispatch(&mut self.work(), shader, grid, arguments)
    }

    /// The only queue runs in order. Two devices wait for each other through the host.
    fn record_event(&self, _: u32) -> Result<EngineEvent, DeviceError> {
        Ok(Box::new(QueueEvent(self.device.clone())))
    }

    fn follow_event(&self, _: u32, event: &EngineEvent) -> Result<bool, DeviceError> {
        let event = event.downcast_ref();
        Ok(event.is_some_and(|QueueEvent(device)| *device == self.device))
    }

    /// Work is submitted, and its downloads delivered, by a wait.
    fn has_ended(&self, event: &EngineEvent) -> Result<bool, DeviceError> {
        self.wait_for_event(event).map(|()| true)
    }

    fn wait_for_event(&self, _: &EngineEvent) -> Result<(), DeviceError> {
        self.finish()
    }

    fn describes_kernels(&self) -> bool {
        false
    }

    fn attributes(
        &self,
        _: &'static Image,
        _: &'static str,
        _: &Shape,
    ) -> Result<Attributes, DeviceError> {
        Err(self
            .failed("asking what a kernel takes", "drivers do not report the resources of shaders"))
    }

    fn block_stream(&self) -> Result<(), DeviceError> {
        self.work().is_held = true;
        Ok(())
    }

    fn release_stream(&self) -> BlockEnd {
        self.work().submit(&self.queue);
        BlockEnd::Released
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.settle(&mut self.work())
    }

    fn mark(&self, _: u32, index: usize) -> Result<(), DeviceError> {
        let mut work = self.work();
        let Recording { encoder, clock, .. } = work.recording(&self.device);
        if let Some(clock) = clock {
            clock.mark(&self.device, encoder, index);
        }
        Ok(())
    }

    fn seconds_between(&self, from: usize, to: usize) -> Result<Option<f64>, DeviceError> {
        let mut work = self.work();
        let Some(clock) = &mut work.clock else {
            return Ok(None);
        };
        let seconds = clock.seconds(&self.device, &self.queue, from, to);
        seconds.map(Some).ok_or_else(|| self.failed("reading a time", "there is none"))
    }

    fn reuses_memory(&self) -> bool {
        !self.is_lost()
    }

    fn is_lost(&self) -> bool {
        self.faults.is_lost()
    }
}
