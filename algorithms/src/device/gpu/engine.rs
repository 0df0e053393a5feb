//! What a GPU has to be able to do.

use super::arguments::Argument;
use super::{DeviceError, Image};
use crate::device::emulator::QueuedEmulator;

/// What kind of GPU it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties {
    /// `cuda:0`, `emulator`.
    pub device: String,
    /// The model.
    pub name: String,
    /// Lanes of a warp.
    pub lanes: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Threads that a multiprocessor can have at once.
    pub multiprocessor_threads: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Bytes of shared memory that a block can ask for.
    pub shared_bytes: u32,
    /// Whether its kernels are shaders: they have what WebGPU has.
    pub has_shaders: bool,
    /// Whether it is software that runs blocks one by one: none may wait for another.
    pub runs_block_by_block: bool,
}

impl Properties {
    /// Blocks that are started to run all at once and wait for each other, if a multiprocessor
    /// takes so many.
    pub fn blocks_at_once(&self, of_multiprocessor: u32) -> u32 {
        if self.runs_block_by_block {
            1
        } else {
            of_multiprocessor.saturating_mul(self.multiprocessors)
        }
    }
}

/// How a kernel is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks of the grid.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Bytes that it reads from and writes to device memory, for its bandwidth;
    /// 0 if nobody knows.
    pub bytes: u64,
}

/// What a kernel takes, as it was compiled for this GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Registers of a thread; `None` where there is no such thing.
    pub registers: Option<u32>,
    /// Bytes of shared memory that a block has without asking.
    pub shared_bytes: u32,
    /// Bytes of a thread in device memory: spilled registers and local arrays.
    pub local_bytes: Option<u32>,
    /// Threads that a block can have.
    pub most_threads: u32,
    /// Blocks of the shape asked about that a multiprocessor runs at once.
    pub resident_blocks: u32,
}

impl Attributes {
    /// The threads of a shape that a multiprocessor runs at once, over those
    /// that it can have.
    pub fn occupancy(&self, shape: &Shape, properties: &Properties) -> f64 {
        let threads = f64::from(self.resident_blocks) * f64::from(shape.threads);
        threads / f64::from(properties.multiprocessor_threads.max(1))
    }
}

/// Every buffer begins at a multiple of this, in bytes: the elements of a buffer may be aligned to
/// as much.
pub(super) const ALIGNMENT: usize = 256;

/// A side of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The host.
    Host,
    /// The device.
    Device,
}

/// How a wait that was asked for by [`Engine::hold`] has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// The host let go.
    LetGo,
    /// The time was over before.
    TimedOut,
}

/// Work that was recorded, to be done as often as wanted. Dropped, it waits
/// until nothing of it is running.
pub(super) trait Recording: Send {
    /// Starts all of it in the first queue.
    fn replay(&self) -> Result<(), DeviceError>;
}

/// The queue of all work that names no other.
pub(super) const FIRST_QUEUE: u32 = 0;
/// Queues of work that copies in both directions and kernels between them keep busy.
pub const QUEUES: u32 = 3;
/// Queues that there are at most: for work that the host waits in, too.
pub const MOST_QUEUES: u32 = 5;
/// One more, for work that disturbs other work on purpose.
pub(super) const BESIDE: u32 = MOST_QUEUES;
/// And one for the downloads of [`Gpu::exchange`](super::Gpu::exchange).
pub(super) const BACK: u32 = BESIDE + 1;
/// All queues.
pub(super) const ALL_QUEUES: u32 = BACK + 1;

/// A way to run kernels. Work of a queue, a number below [`ALL_QUEUES`], runs in the order in which
/// it was started; queues run concurrently.
///
/// Addresses are those that kernels see. What is not said here is said of a device that does all
/// at once: it never waits, and times mean nothing.
pub(super) trait Engine: Send + Sync {
    fn properties(&self) -> &Properties;

    /// Device memory for at least a byte, aligned to [`ALIGNMENT`].
    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError>;

    /// # Safety
    /// The address is one that [`Engine::allocate`] gave, and nothing that is
    /// not finished uses it.
    unsafe fn free(&self, address: u64);

    /// Page-locked memory on the host for at least a byte, aligned to [`ALIGNMENT`].
    fn pin(&self, bytes: usize) -> Result<*mut u8, DeviceError>;

    /// # Safety
    /// As [`Engine::free`], for [`Engine::pin`].
    unsafe fn unpin(&self, start: *mut u8, bytes: usize);

    /// Whether kernels reach memory of the host.
    fn maps_memory(&self) -> bool {
        true
    }

    /// Page-locked memory on the host that kernels reach over the link, aligned as all other.
    fn map(&self, bytes: usize) -> Result<*mut u8, DeviceError>;

    /// # Safety
    /// As [`Engine::free`], for [`Engine::map`].
    unsafe fn unmap(&self, start: *mut u8, bytes: usize);

    /// Where kernels find what [`Engine::map`] gave.
    fn device_address(&self, start: *mut u8) -> Result<u64, DeviceError> {
        Ok(start.expose_provenance() as u64)
    }

    /// Memory that both sides reach at the same address, and that moves to the side that touches
    /// it, aligned as all other.
    fn manage(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.map(bytes)
    }

    /// # Safety
    /// As [`Engine::free`], for [`Engine::manage`].
    unsafe fn unmanage(&self, start: *mut u8, bytes: usize) {
        // SAFETY: as the caller promises.
        unsafe { self.unmap(start, bytes) }
    }

    /// Starts to move so much of what [`Engine::manage`] gave to one side.
    ///
    /// # Safety
    /// There are so many bytes.
    unsafe fn prefetch(
        &self,
        _queue: u32,
        _address: u64,
        _bytes: usize,
        _to: Side,
    ) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Bytes of device memory that nobody has; `None` where there is no limit.
    fn free_bytes(&self) -> Result<Option<u64>, DeviceError> {
        Ok(None)
    }

    /// Makes a queue ready. All others of these calls are given queues that are ready; the first
    /// one, 0, is from the start.
    fn open_queue(&self, _queue: u32) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Copies to the device.
    ///
    /// # Safety
    /// Both sides have that many bytes, and page-locked memory stays until the queue was waited
    /// for.
    unsafe fn upload(
        &self,
        queue: u32,
        to: u64,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), DeviceError>;

    /// Copies to the host.
    ///
    /// # Safety
    /// As [`Engine::upload`].
    unsafe fn download(
        &self,
        queue: u32,
        to: *mut u8,
        from: u64,
        bytes: usize,
    ) -> Result<(), DeviceError>;

    /// Whether one copy waits for all others in its direction, whichever queue they are in, while
    /// kernels go on and reach page-locked memory.
    fn copies_wait_for_others(&self) -> bool {
        false
    }

    /// Copies from one place on the device to another.
    ///
    /// # Safety
    /// There are so many bytes at both places, which don't overlap.
    unsafe fn copy(&self, queue: u32, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError>;

    /// Sets bytes on the device.
    ///
    /// # Safety
    /// There are so many.
    unsafe fn fill(&self, queue: u32, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError>;

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

    /// What is started in a queue from now on waits for all work that is in the first one so far.
    fn follow_first_queue(&self, _queue: u32) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Handle of the first queue's stream, with its context bound to this thread; 0 if it has none.
    fn native_stream(&self) -> Result<usize, DeviceError> {
        Ok(0)
    }

    /// Whether it can be asked for the attributes of kernels.
    fn describes_kernels(&self) -> bool {
        true
    }

    /// What a kernel takes, and how many blocks of a shape run at once.
    fn attributes(
        &self,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
    ) -> Result<Attributes, DeviceError>;

    /// Bytes of dynamic shared memory of a block of a kernel, where they are others than its
    /// image says.
    fn declared_shared_bytes(&self, _image: &'static Image, _kernel: &'static str) -> Option<u32> {
        None
    }

    /// Lets all that is started in the first queue from now on wait until [`Engine::let_go`], but
    /// for a moment only: a host that never lets go blocks no other work.
    fn hold(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Ends a hold, if there is one.
    fn let_go(&self) -> Hold {
        Hold::LetGo
    }

    /// Whether work can be recorded. Else it has to be started each time.
    fn records(&self) -> bool {
        false
    }

    /// What is started in the first queue from now on is recorded and not run.
    fn start_recording(&self) -> Result<(), DeviceError> {
        Err(self.records_nothing())
    }

    /// Ends a recording.
    fn end_recording(&self) -> Result<Box<dyn Recording>, DeviceError> {
        Err(self.records_nothing())
    }

    /// Why nothing is recorded.
    fn records_nothing(&self) -> DeviceError {
        DeviceError::Failed {
            device: self.properties().device.clone(),
            what: "recording",
            problem: "work is done at once".to_owned(),
        }
    }

    /// Waits until the work of all queues has ended, also where some of it has failed.
    fn finish(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Waits until the work of a queue has ended.
    fn wait(&self, _queue: u32) -> Result<(), DeviceError> {
        self.finish()
    }

    /// Notes the time at which all work of a queue so far has ended, under this number.
    fn mark(&self, _queue: u32, _number: usize) -> Result<(), DeviceError> {
        Ok(())
    }

    /// The time from one mark to another; `None` where times mean nothing.
    fn seconds_between(&self, _from: usize, _to: usize) -> Result<Option<f64>, DeviceError> {
        Ok(None)
    }

    /// Whether memory is given out again without asking the system.
    fn reuses_memory(&self) -> bool;

    /// Device memory is given out again: its first work will be in that queue.
    fn taken_again(&self, _queue: u32, _address: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    /// The queues, if it is the emulator.
    fn emulator_queues(&self) -> Option<&QueuedEmulator> {
        None
    }

    /// Whether it can't be used any more.
    fn is_lost(&self) -> bool {
        false
    }
}
