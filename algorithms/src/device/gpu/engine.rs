//! What a GPU has to be able to do.

use super::arguments::Argument;
use super::{DeviceError, Image};

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

/// Bytes to be copied to the device.
#[derive(Clone, Copy)]
pub(super) struct Upload {
    pub(super) to: u64,
    pub(super) from: *const u8,
    pub(super) bytes: usize,
}

/// Bytes to be copied to the host.
#[derive(Clone, Copy)]
pub(super) struct Download {
    pub(super) to: *mut u8,
    pub(super) from: u64,
    pub(super) bytes: usize,
}

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
    /// Starts all of it.
    fn replay(&self) -> Result<(), DeviceError>;
}

/// Queues of work that copies in both directions and kernels between them keep busy.
pub const QUEUES: u32 = 3;
/// Queues that there are at most: for work that the host waits in, too.
pub const MOST_QUEUES: u32 = 5;
/// One more, for what others are to be disturbed by.
pub(super) const BESIDE: u32 = MOST_QUEUES;

/// A way to run kernels. One stream: what is started later runs later, unless it is
/// started in another queue.
///
/// Addresses are those that kernels see. What is not said here is said of a device that does all
/// at once: it never waits, and times mean nothing.
pub(super) trait Engine: Send + Sync {
    fn properties(&self) -> &Properties;

    /// Device memory for at least a byte, aligned to 256.
    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError>;

    /// # Safety
    /// The address is one that [`Engine::allocate`] gave, and nothing that is
    /// not finished uses it.
    unsafe fn free(&self, address: u64);

    /// Page-locked memory on the host for at least a byte.
    fn pin(&self, bytes: usize) -> Result<*mut u8, DeviceError>;

    /// # Safety
    /// As [`Engine::free`], for [`Engine::pin`].
    unsafe fn unpin(&self, start: *mut u8, bytes: usize);

    /// Whether kernels reach memory of the host.
    fn maps_memory(&self) -> bool {
        true
    }

    /// Page-locked memory on the host that kernels reach over the link.
    fn map(&self, bytes: usize) -> Result<*mut u8, DeviceError>;

    /// # Safety
    /// As [`Engine::free`], for [`Engine::map`].
    unsafe fn unmap(&self, start: *mut u8, bytes: usize);

    /// Where kernels find what [`Engine::map`] gave.
    fn device_address(&self, start: *mut u8) -> Result<u64, DeviceError> {
        Ok(start.expose_provenance() as u64)
    }

    /// Memory that both sides reach at the same address, and that moves to whoever touches it.
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
    unsafe fn prefetch(&self, _: u64, _bytes: usize, _to: Side) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Bytes of device memory that nobody has; `None` where there is no limit.
    fn free_bytes(&self) -> Result<Option<u64>, DeviceError> {
        Ok(None)
    }

    /// Copies to the device.
    ///
    /// # Safety
    /// There are so many bytes at both places, and page-locked memory stays
    /// until [`Engine::finish`].
    unsafe fn upload(&self, to: u64, from: *const u8, bytes: usize) -> Result<(), DeviceError>;

    /// Copies to the host.
    ///
    /// # Safety
    /// As [`Engine::upload`].
    unsafe fn download(&self, to: *mut u8, from: u64, bytes: usize) -> Result<(), DeviceError>;

    /// Whether one copy waits for all others in its direction, whichever queue they are in, while
    /// kernels go on and reach page-locked memory.
    fn copies_wait_for_others(&self) -> bool {
        false
    }

    /// Copies from one place on the device to another.
    ///
    /// # Safety
    /// There are so many bytes at both places, which don't overlap.
    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError>;

    /// Copies to the device and, at the same time, other bytes to the host.
    ///
    /// # Safety
    /// As [`Engine::upload`] and [`Engine::download`], and no place is in both.
    unsafe fn exchange(&self, up: Upload, down: Download) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe {
            self.upload(up.to, up.from, up.bytes)?;
            self.download(down.to, down.from, down.bytes)
        }
    }

    /// Sets bytes on the device.
    ///
    /// # Safety
    /// There are so many.
    unsafe fn fill(&self, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError>;

    /// Starts a kernel.
    ///
    /// # Safety
    /// See [`Gpu::launch`](super::Gpu::launch).
    unsafe fn launch(
        &self,
        image: &'static Image,
        kernel: &'static str,
        shape: &Shape,
        arguments: &[Argument],
    ) -> Result<(), DeviceError>;

    /// Copies, kernels and marks that are started from now on go to the queue of that number,
    /// below [`MOST_QUEUES`], or to [`BESIDE`]. All else goes to the first one.
    fn choose_queue(&self, _queue: u32) -> Result<(), DeviceError> {
        Ok(())
    }

    /// What is started from now on in the chosen queue waits for all that is in the first
    /// one so far.
    fn follow_first_queue(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// The stream's handle, with its context bound to this thread; 0 if it has none.
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

    /// Lets all that is started from now on wait until [`Engine::let_go`], but
    /// for a moment only: a host that never lets go blocks nobody.
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

    /// What is started from now on is not done but recorded.
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

    /// Waits until all is done.
    fn finish(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Waits until all in the queue that was chosen is done.
    fn wait(&self) -> Result<(), DeviceError> {
        self.finish()
    }

    /// Notes the time at which all that was started so far in the chosen queue has
    /// ended, under this number.
    fn mark(&self, _number: usize) -> Result<(), DeviceError> {
        Ok(())
    }

    /// The time from one mark to another; `None` where times mean nothing.
    fn seconds_between(&self, _from: usize, _to: usize) -> Result<Option<f64>, DeviceError> {
        Ok(None)
    }

    /// Whether memory is given out again without asking the system.
    fn reuses_memory(&self) -> bool;

    /// Whether it can't be used any more.
    fn is_lost(&self) -> bool {
        false
    }
}
