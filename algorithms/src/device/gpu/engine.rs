//! What a GPU has to be able to do.

use super::{Argument, DeviceError, Image};

/// What kind of GPU it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Properties {
    /// `cuda:0`, `emulator`.
    pub device: String,
    /// The model.
    pub name: String,
    /// Lanes of a warp.
    pub lanes: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Bytes of shared memory that a block can ask for.
    pub shared_bytes: u32,
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

/// A way to run kernels. One stream: what is started later runs later.
///
/// Addresses are those that kernels see.
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

    /// The stream's handle, with its context bound to this thread; 0 if it has none.
    fn native_stream(&self) -> Result<usize, DeviceError>;

    /// Bytes of device memory that nobody has; `None` where nobody knows.
    fn free_bytes(&self) -> Option<u64>;

    /// Waits until all is done.
    fn finish(&self) -> Result<(), DeviceError>;

    /// Notes the time at which all that was started so far has ended, under
    /// this number.
    fn mark(&self, number: usize) -> Result<(), DeviceError>;

    /// The time from one mark to another; `None` where times mean nothing.
    fn seconds_between(&self, from: usize, to: usize) -> Result<Option<f64>, DeviceError>;

    /// Whether memory is given out again without asking the system.
    fn reuses_memory(&self) -> bool;

    /// Whether it can't be used any more.
    fn is_lost(&self) -> bool;
}
