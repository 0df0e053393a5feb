//! Interface between the GPU layer and its backends.

use std::any::Any;

use cuda_emulator::QueuedEmulator;

use super::arguments::Argument;
use super::{DeviceError, Image};

/// Properties of a GPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties {
    /// Name of the device: `cuda:0`, `emulator`.
    pub device: String,
    /// The model.
    pub name: String,
    /// Lanes of a warp.
    pub lanes: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Maximum number of resident threads of a multiprocessor.
    pub multiprocessor_threads: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Maximum shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// True if its kernels are shaders, limited to the features of WebGPU.
    pub has_shaders: bool,
    /// True if it is software that runs blocks one by one, so that no block may wait for another.
    pub runs_block_by_block: bool,
}

impl Properties {
    /// Number of blocks to start so that all of them are resident and can wait for each other, if a
    /// multiprocessor takes `of_multiprocessor` blocks.
    pub fn blocks_at_once(&self, of_multiprocessor: u32) -> u32 {
        if self.runs_block_by_block {
            1
        } else {
            of_multiprocessor.saturating_mul(self.multiprocessors)
        }
    }
}

/// Launch configuration of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks of the grid.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Bytes that it reads from and writes to device memory, for its bandwidth; 0 if unknown.
    pub bytes: u64,
}

/// Resources of a kernel, as it was compiled for this GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Registers of a thread; `None` if the device has no such count.
    pub registers: Option<u32>,
    /// Static shared memory of a block in bytes.
    pub shared_bytes: u32,
    /// Local memory of a thread in bytes: spilled registers and local arrays.
    pub local_bytes: Option<u32>,
    /// Maximum number of threads of a block.
    pub max_threads: u32,
    /// Resident blocks of a multiprocessor in the requested launch configuration.
    pub resident_blocks: u32,
}

impl Attributes {
    /// Resident threads of a multiprocessor in the given launch configuration, as a fraction of the
    /// maximum.
    pub fn occupancy(&self, shape: &Shape, properties: &Properties) -> f64 {
        let threads = f64::from(self.resident_blocks) * f64::from(shape.threads);
        threads / f64::from(properties.multiprocessor_threads.max(1))
    }
}

/// Alignment of every buffer in bytes, which is the maximum alignment of its elements.
pub(super) const ALIGNMENT: usize = 256;

/// A side of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The host.
    Host,
    /// The device.
    Device,
}

/// Kinds of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryKind {
    Device,
    /// Page-locked host memory.
    Pinned,
    /// Page-locked host memory that kernels can access over the link.
    Mapped,
    /// Managed memory, which both sides access at the same address and which migrates to the side
    /// that touched it last.
    Managed,
}

/// Host pointer of an address.
pub(super) fn host_pointer(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// A move of memory.
#[derive(Clone, Copy)]
pub(super) enum Transfer {
    /// A copy to the device.
    Upload { to: u64, from: *const u8, bytes: usize },
    /// A copy to the host.
    Download { to: *mut u8, from: u64, bytes: usize },
    /// A copy on the device.
    Copy { to: u64, from: u64, bytes: usize },
    /// Sets bytes on the device.
    Fill { to: u64, byte: u8, bytes: usize },
    /// Migration of managed memory to a side, which some devices leave out.
    Prefetch { address: u64, bytes: usize, to: Side },
}

impl Transfer {
    /// Name for errors.
    pub(super) fn name(self) -> &'static str {
        match self {
            Transfer::Upload { .. } => "copying to the device",
            Transfer::Download { .. } => "copying from the device",
            Transfer::Copy { .. } => "copying on the device",
            Transfer::Fill { .. } => "setting memory",
            Transfer::Prefetch { .. } => "moving managed memory",
        }
    }
}

/// End of a wait that was started by [`Engine::block_stream`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockEnd {
    /// The host released the stream.
    Released,
    /// The time limit expired first.
    TimedOut,
}

/// Recorded work, which can be started any number of times. When dropped, it waits until none of it
/// is running.
pub(super) trait Recording: Send {
    /// Starts the recorded work in the first queue.
    fn replay(&self) -> Result<(), DeviceError>;
}

/// A point in the work of a queue, as a device records it. Only the engine that recorded it is
/// asked about it.
pub(super) type EngineEvent = Box<dyn Any + Send + Sync>;

/// A copy between two devices.
#[derive(Clone, Copy)]
pub(super) struct PeerCopy {
    pub(super) to: u64,
    /// Address on the other device.
    pub(super) from: u64,
    pub(super) bytes: usize,
}

/// Queue of all work for which no other queue is specified.
pub(super) const FIRST_QUEUE: u32 = 0;
/// Queues that keep copies in both directions and the kernels between them busy.
pub const QUEUES: u32 = 3;
/// Maximum number of queues, including one for work that the host waits for.
pub const MAX_QUEUES: u32 = 5;
/// Another queue, for work that interferes with other work on purpose.
pub(super) const INTERFERENCE_QUEUE: u32 = MAX_QUEUES;
/// Another queue, for the downloads of [`Gpu::exchange`](super::Gpu::exchange).
pub(super) const DOWNLOAD_QUEUE: u32 = INTERFERENCE_QUEUE + 1;
/// First of the queues that [`Gpu::queue`](super::Gpu::queue) hands out.
pub(super) const FIRST_LEASED_QUEUE: u32 = DOWNLOAD_QUEUE + 1;
/// Maximum number of [`Queue`](super::Queue)s of a GPU at a time.
pub const MAX_LEASED_QUEUES: u32 = 16;
/// All queues.
pub(super) const ALL_QUEUES: u32 = FIRST_LEASED_QUEUE + MAX_LEASED_QUEUES;

/// A backend that runs kernels. Work of a queue, an index below [`ALL_QUEUES`], runs in the order
/// in which it was started; queues run concurrently.
///
/// Addresses are those that kernels see. Default methods describe a synchronous device without
/// timing.
pub(super) trait Engine: Any + Send + Sync {
    fn properties(&self) -> &Properties;

    /// Allocates memory of at least one byte, aligned to [`ALIGNMENT`]. Memory of the host has the
    /// address at which the host accesses it.
    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<u64, DeviceError>;

    /// # Safety
    /// The address came from [`Engine::allocate`] with this kind and size, and no unfinished work
    /// uses it.
    unsafe fn free(&self, kind: MemoryKind, address: u64, bytes: usize);

    /// True if kernels can access host memory.
    fn maps_memory(&self) -> bool {
        true
    }

    /// Address at which kernels access [`MemoryKind::Mapped`] memory.
    fn device_address(&self, start: *mut u8) -> Result<u64, DeviceError> {
        Ok(start.expose_provenance() as u64)
    }

    /// Bytes of free device memory; `None` if there is no limit.
    fn free_bytes(&self) -> Result<Option<u64>, DeviceError> {
        Ok(None)
    }

    /// Creates a queue. All other methods are called with queues that were opened; the first one,
    /// 0, is open from the start.
    fn open_queue(&self, _queue: u32) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Starts to move memory.
    ///
    /// # Safety
    /// Both sides have that many bytes, which do not overlap, and page-locked memory stays allocated
    /// until the queue was waited for.
    unsafe fn start(&self, queue: u32, transfer: Transfer) -> Result<(), DeviceError>;

    /// True if a copy waits for all others in its direction, whatever their queues, while kernels
    /// continue to run and access page-locked memory.
    fn copies_wait_for_others(&self) -> bool {
        false
    }

    /// Starts a kernel.
    ///
    /// # Safety
    /// See [`Gpu::launch`](super::Gpu::launch).
    unsafe fn launch(
        &self,
        queue: u32,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError>;

    /// Makes all work that is started in a queue from now on wait for all work that is in the first
    /// queue so far.
    fn wait_for_first_queue(&self, _queue: u32) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Records the point that a queue reaches when all work that is in it so far has ended.
    fn record_event(&self, queue: u32) -> Result<EngineEvent, DeviceError>;

    /// Makes all work that is started in a queue from now on wait for an event of an engine, which
    /// may be another one. Returns false, and does nothing, if the host has to wait instead.
    fn follow_event(&self, queue: u32, event: &EngineEvent) -> Result<bool, DeviceError>;

    /// True if the work up to an event has ended.
    fn has_ended(&self, event: &EngineEvent) -> Result<bool, DeviceError>;

    /// Waits for an event.
    fn wait_for_event(&self, event: &EngineEvent) -> Result<(), DeviceError>;

    /// Seconds from one event to another; `None` if the device has no clock for events.
    fn seconds_between_events(
        &self,
        _from: &EngineEvent,
        _to: &EngineEvent,
    ) -> Result<Option<f64>, DeviceError> {
        Ok(None)
    }

    /// Starts a copy from memory of another engine. Returns false, and does nothing, if the copy has
    /// to go through the host.
    ///
    /// # Safety
    /// Both sides have that many bytes, and stay allocated until the copy has ended.
    unsafe fn copy_from_peer(
        &self,
        _queue: u32,
        _peer: &dyn Engine,
        _copy: PeerCopy,
    ) -> Result<bool, DeviceError> {
        Ok(false)
    }

    /// Handle of the first queue's stream, with its context bound to this thread; 0 if there is
    /// none.
    fn native_stream(&self) -> Result<usize, DeviceError> {
        Ok(0)
    }

    /// True if the attributes of kernels can be queried.
    fn describes_kernels(&self) -> bool {
        true
    }

    /// Returns the resources of a kernel and its resident blocks in a launch configuration.
    fn attributes(
        &self,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, DeviceError>;

    /// Bytes of dynamic shared memory of a block of a kernel, if they differ from those that its
    /// image declares.
    fn declared_shared_bytes(&self, _image: &'static Image, _kernel: &'static str) -> Option<u32> {
        None
    }

    /// Makes all work that is started in the first queue from now on wait for
    /// [`Engine::release_stream`], up to a time limit: a host that never releases the stream does
    /// not block other work.
    fn block_stream(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Ends a hold, if there is one.
    fn release_stream(&self) -> BlockEnd {
        BlockEnd::Released
    }

    /// True if work can be recorded; otherwise it has to be started each time.
    fn records(&self) -> bool {
        false
    }

    /// Records work that is started in the first queue from now on instead of running it.
    fn start_recording(&self) -> Result<(), DeviceError> {
        Err(self.records_nothing())
    }

    /// Ends a recording and returns it.
    fn end_recording(&self) -> Result<Box<dyn Recording>, DeviceError> {
        Err(self.records_nothing())
    }

    /// Error of a device that can't record.
    fn records_nothing(&self) -> DeviceError {
        DeviceError::Failed {
            device: self.properties().device.clone(),
            what: "recording",
            problem: "work is done at once".to_owned(),
        }
    }

    /// Waits until the work of all queues has ended, even if some of it has failed.
    fn finish(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Waits until the work of a queue has ended.
    fn wait(&self, _queue: u32) -> Result<(), DeviceError> {
        self.finish()
    }

    /// Records the time at which all work of a queue so far has ended, as mark `index`.
    fn mark(&self, _queue: u32, _index: usize) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Seconds from one mark to another; `None` if the device has no clock.
    fn seconds_between(&self, _from: usize, _to: usize) -> Result<Option<f64>, DeviceError> {
        Ok(None)
    }

    /// True if freed memory is reused without a call to the system.
    fn reuses_memory(&self) -> bool;

    /// Called when pooled device memory is handed out again; its first work will be in the given
    /// queue.
    fn on_reuse(&self, _queue: u32, _address: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    /// The queues of the emulator; `None` for other devices.
    fn emulator_queues(&self) -> Option<&QueuedEmulator> {
        None
    }

    /// True if the device can't be used any more.
    fn is_lost(&self) -> bool {
        false
    }
}
