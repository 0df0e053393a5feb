//! Small copies by a kernel.
//!
//! A GPU has one copy engine for each direction, which works in the order of submission, whatever
//! the stream: a few numbers that one stream waits for come after all large copies of others.
//! Kernels access page-locked host memory directly, and run concurrently with such copies.

use std::sync::atomic::Ordering::Relaxed;

use crate::engine::Engine;
use crate::kernel::Ptr;
use crate::kernels::transfers_small_copies::{COPY_FEW, CopyFew};
use crate::{Arguments, DeviceError, Gpu};

/// Maximum size of a copy by a kernel: at larger ones a kernel is slower than the copy engine, and
/// delays other kernels.
const MAX_SMALL_BYTES: usize = 64 << 10;
/// Bytes of a word, which a thread copies at a time.
const WORD: usize = size_of::<u32>();

/// A copy between addresses that kernels can access.
pub(super) struct SmallCopy {
    pub(super) to: u64,
    pub(super) from: u64,
    pub(super) bytes: usize,
}

/// Restores the previous mode, also if the work panics.
struct ModeGuard<'g> {
    gpu: &'g Gpu,
    before: bool,
}

impl Drop for ModeGuard<'_> {
    fn drop(&mut self) {
        self.gpu.shared.small_by_kernel.store(self.before, Relaxed);
    }
}

impl Gpu {
    /// From now on copies small amounts from and to page-locked memory by a kernel: for one of
    /// several streams that share a GPU.
    pub fn copy_small_by_kernel(&self) {
        self.shared.small_by_kernel.store(true, Relaxed);
    }

    /// True if this is useful: a small copy waits for large ones of other queues. The emulator has
    /// no copy engines, and is slow with many threads.
    pub fn copies_wait_for_others(&self) -> bool {
        self.engine().copies_wait_for_others()
    }

    /// Copies small amounts by a kernel, where that is useful, while `work` runs: for work in
    /// several queues of which one waits for few bytes while others copy many.
    pub fn with_small_copies_by_kernel<R>(&self, work: impl FnOnce() -> R) -> R {
        let wanted = self.copies_wait_for_others();
        let before = self.shared.small_by_kernel.fetch_or(wanted, Relaxed);
        let _guard = ModeGuard { gpu: self, before };
        work()
    }

    /// Address at which kernels access host memory, if a copy from or to it is to be done by a
    /// kernel. It is the same as the host's, as for all page-locked memory on 64-bit systems.
    pub(super) fn seen_by_kernels(&self, host: *const u8, bytes: usize) -> Option<u64> {
        let small =
            (1..=MAX_SMALL_BYTES).contains(&bytes) && self.shared.small_by_kernel.load(Relaxed);
        let is_for_kernel = small && self.memory().is_page_locked(host);
        is_for_kernel.then(|| host.expose_provenance() as u64)
    }

    /// Starts a copy by a kernel.
    ///
    /// # Safety
    /// Kernels must be able to access that many bytes on both sides, which stay allocated until it
    /// has ended.
    pub(super) unsafe fn start_small_copy(
        &self,
        engine: &dyn Engine,
        queue: u32,
        copy: SmallCopy,
    ) -> Result<(), DeviceError> {
        let SmallCopy { to, from, bytes } = copy;
        let grid = COPY_FEW.grid_for(bytes.div_ceil(WORD));
        let arguments = CopyFew { to: Ptr::at(to), from: Ptr::at(from), bytes: bytes as u32 };
        let shape = COPY_FEW.shape(self, grid)?;
        let values = arguments.values();
        // SAFETY: the caller promises the memory; the kernel stays within that many bytes.
        unsafe { engine.launch(queue, COPY_FEW.image, COPY_FEW.name, &shape, &values) }
    }
}
