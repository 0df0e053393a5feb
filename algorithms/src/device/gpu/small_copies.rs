//! Small copies by a kernel.
//!
//! A GPU has one engine for copies in each direction, which does them in the order in which they
//! were asked for, whichever stream they are of: the few numbers that one stream waits for come
//! after all large copies of others. Kernels reach page-locked memory of the host by themselves,
//! and go on beside such copies.

use std::sync::atomic::Ordering::Relaxed;

use super::engine::Engine;
use super::kernel::Ptr;
use super::{Arguments, DeviceError, Gpu};
use crate::kernels::device_small_copies::{COPY_FEW, CopyFew};

/// Copies of more bytes are for the engines: a kernel is slower at them, and in the way of others.
const MOST_BYTES: usize = 64 << 10;
/// Bytes of a word, which a thread copies at a time.
const WORD: usize = size_of::<u32>();

/// A copy between addresses that kernels see.
pub(super) struct SmallCopy {
    pub(super) to: u64,
    pub(super) from: u64,
    pub(super) bytes: usize,
}

/// Returns to the mode before, also if the work panics.
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
    /// From now on small copies from and to page-locked memory are done by a kernel: for one of
    /// several streams that share a GPU.
    pub fn copy_small_by_kernel(&self) {
        self.shared.small_by_kernel.store(true, Relaxed);
    }

    /// Whether that is of use: whether a small copy waits for large ones of others. The emulator has
    /// no engines for copies, and takes long for many threads.
    pub fn copies_wait_for_others(&self) -> bool {
        self.engine().copies_wait_for_others()
    }

    /// The same during some work in several queues, of which one waits for few bytes while others
    /// copy many, where it is of use.
    pub(crate) fn with_small_copies_by_kernel<R>(&self, work: impl FnOnce() -> R) -> R {
        let wanted = self.copies_wait_for_others();
        let before = self.shared.small_by_kernel.fetch_or(wanted, Relaxed);
        let _guard = ModeGuard { gpu: self, before };
        work()
    }

    /// Where kernels see some memory of the host, if a copy from or to it is for one of them. It has
    /// the same address, as all that is page-locked has on 64-bit systems.
    pub(super) fn seen_by_kernels(&self, host: *const u8, bytes: usize) -> Option<u64> {
        let small = (1..=MOST_BYTES).contains(&bytes) && self.shared.small_by_kernel.load(Relaxed);
        let is_for_kernel = small && self.memory().is_page_locked(host);
        is_for_kernel.then(|| host.expose_provenance() as u64)
    }

    /// Starts a copy by a kernel.
    ///
    /// # Safety
    /// Kernels must see that many bytes on both sides, which stay until it has ended.
    pub(super) unsafe fn start_small_copy(
        &self,
        engine: &dyn Engine,
        queue: u32,
        copy: SmallCopy,
    ) -> Result<(), DeviceError> {
        let SmallCopy { to, from, bytes } = copy;
        let grid = COPY_FEW.thread_each(bytes.div_ceil(WORD));
        let arguments = CopyFew { to: Ptr::at(to), from: Ptr::at(from), bytes: bytes as u32 };
        let (shape, values) = (COPY_FEW.shape(self, grid), arguments.values());
        // SAFETY: as the caller promises; the kernel stays within so many bytes.
        unsafe { engine.launch(queue, COPY_FEW.image, COPY_FEW.name, &shape, &values) }
    }
}
