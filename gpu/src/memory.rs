//! Memory of all kinds, and buffers on the device.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use parallel::fill;

use super::engine::{ALIGNMENT, Engine, MemoryKind, Properties, host_pointer};
use super::pool::{self, Pool};
use super::progress::{PendingCopies, Progress, QueueTicks};
use super::step::Submission;
use super::{DeviceError, Gpu};

/// Allocator for memory of all kinds.
pub(super) struct Memory {
    pub(super) pool: Pool,
    pub(super) progress: Progress,
    pub(super) engine: Box<dyn Engine>,
    submission: Mutex<Submission>,
    /// The first error of a wait whose caller has no way to return it.
    unreported: Mutex<Option<DeviceError>>,
    /// Start and end of each block of page-locked and managed memory: copies may use it after the
    /// call that starts them.
    page_locked: Mutex<BTreeMap<u64, u64>>,
}

/// Maximum size of an object on the host.
const MAX_BYTES: usize = isize::MAX as usize;

/// A block of memory.
pub(super) struct Block {
    memory: Arc<Memory>,
    kind: MemoryKind,
    pub(super) address: u64,
    bytes: usize,
    /// Copies from and to it that may be pending.
    pub(super) uses: Arc<PendingCopies>,
}

/// Elements in device memory.
pub struct DeviceBuffer<T> {
    block: Block,
    length: usize,
    elements: PhantomData<T>,
}

impl Memory {
    pub(super) fn new(engine: Box<dyn Engine>) -> Self {
        Memory {
            pool: Pool::default(),
            progress: Progress::default(),
            engine,
            submission: Mutex::default(),
            unreported: Mutex::default(),
            page_locked: Mutex::default(),
        }
    }

    /// Frees unused device memory, and page-locked memory that has been unused for long.
    pub(super) fn trim(&self) {
        self.free_all(self.pool.evict());
    }

    fn free_all(&self, blocks: Vec<pool::Block>) {
        if !blocks.is_empty() {
            self.wait_until(&self.progress.now());
        }
        for (kind, address, bytes) in blocks {
            self.free(kind, address, bytes);
        }
    }

    /// Takes memory from the pool, or else from the system; if that fails, the pool is freed first.
    /// Device memory is first used by work in the given queue.
    fn take(
        &self,
        kind: MemoryKind,
        queue: u32,
        bytes: usize,
    ) -> Result<(u64, usize), DeviceError> {
        if let Some((address, size, until)) = self.pool.take(kind, bytes) {
            // Work in the same queue runs after all pending work there.
            let is_ordered = |pending| kind == MemoryKind::Device && pending == queue;
            if !self.progress.pending(&until).all(is_ordered) {
                self.wait_until(&until);
            }
            if kind == MemoryKind::Device {
                let taken = self.engine.on_reuse(queue, address);
                taken.inspect_err(|_| self.pool.give((kind, address, size), until))?;
            }
            return Ok((address, size));
        }
        let first = self.allocate(kind, bytes);
        let taken = first.or_else(|_| {
            self.free_all(self.pool.drain());
            self.allocate(kind, bytes)
        });
        Ok((taken?, bytes))
    }

    fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<u64, DeviceError> {
        if kind == MemoryKind::Managed {
            self.check_managed(bytes)?;
        }
        let address = self.engine.allocate(kind, bytes)?;
        if kind != MemoryKind::Device {
            zero(host_pointer(address), bytes);
            // Copies of these bytes may run after their call.
            self.page_locked().insert(address, address + bytes as u64);
        }
        Ok(address)
    }

    /// Refuses more than the free device memory: larger managed memory would thrash.
    fn check_managed(&self, bytes: usize) -> Result<(), DeviceError> {
        let needed = bytes as u64;
        let free = self.engine.free_bytes()?;
        let Some(free) = free.filter(|&free| free < needed) else { return Ok(()) };
        let Properties { device, memory_bytes, .. } = self.engine.properties().clone();
        Err(DeviceError::OutOfMemory { device, needed, free, total: memory_bytes })
    }

    /// True if some memory of the host is page-locked, so that copies may run after their call.
    pub(super) fn is_page_locked(&self, start: *const u8) -> bool {
        let address = start.addr() as u64;
        let page_locked = self.page_locked();
        let before = page_locked.range(..=address).next_back();
        before.is_some_and(|(_, &end)| address < end)
    }

    fn page_locked(&self) -> MutexGuard<'_, BTreeMap<u64, u64>> {
        self.page_locked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn submission(&self) -> MutexGuard<'_, Submission> {
        self.submission.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the steps up to `until` have ended, also after an error, which the next
    /// [`Memory::wait`] or [`Memory::finish`] returns.
    pub(super) fn wait_until(&self, until: &QueueTicks) {
        let pending: Vec<_> = self.progress.pending(until).collect();
        if pending.is_empty() {
            return;
        }
        self.engine.release_stream();
        let waited = match pending[..] {
            [queue] => self.wait_for_queue(queue),
            _ => self.wait_for_all(),
        };
        if let Err(error) = waited {
            self.unreported().get_or_insert(error);
        }
    }

    /// Waits until the work of a queue has ended.
    pub(super) fn wait(&self, queue: u32) -> Result<(), DeviceError> {
        let waited = self.wait_for_queue(queue);
        self.unreported().take().map_or(waited, Err)
    }

    /// Waits until all work has ended, also after an error.
    pub(super) fn finish(&self) -> Result<(), DeviceError> {
        let finished = self.wait_for_all();
        self.unreported().take().map_or(finished, Err)
    }

    fn wait_for_queue(&self, queue: u32) -> Result<(), DeviceError> {
        let now = self.progress.now();
        let waited = self.engine.wait(queue);
        self.progress.queue_ended(queue, &now);
        waited
    }

    fn wait_for_all(&self) -> Result<(), DeviceError> {
        let now = self.progress.now();
        let finished = self.engine.finish();
        self.progress.all_ended(&now);
        finished
    }

    fn unreported(&self) -> MutexGuard<'_, Option<DeviceError>> {
        self.unreported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn free(&self, kind: MemoryKind, address: u64, bytes: usize) {
        self.page_locked().remove(&address);
        // SAFETY: the address came from `allocate` with this kind and size, and its owner is gone.
        unsafe { self.engine.free(kind, address, bytes) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.free_all(self.pool.drain());
    }
}

impl Block {
    /// Allocates a block for `length` elements. The first work that uses it is in the queue of the
    /// handle.
    pub(super) fn new<T>(gpu: &Gpu, kind: MemoryKind, length: usize) -> Result<Self, DeviceError> {
        const { assert!(size_of::<T>() > 0 && align_of::<T>() <= ALIGNMENT) };
        let memory = gpu.memory();
        let too_large = || DeviceError::TooLarge {
            device: memory.engine.properties().device.clone(),
            needed: (length as u64).saturating_mul(size_of::<T>() as u64),
            max: MAX_BYTES as u64,
        };
        let bytes = length.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= MAX_BYTES);
        let bytes = bytes.ok_or_else(too_large)?.max(1);
        let (address, bytes) = memory.take(kind, gpu.current_queue(), bytes)?;
        Ok(Block { memory: Arc::clone(memory), kind, address, bytes, uses: Arc::default() })
    }

    /// Waits until no copy writes it any more.
    pub(super) fn wait_to_read(&self) {
        self.memory.wait_until(&self.uses.until_written());
    }

    /// Waits until no copy uses it any more.
    pub(super) fn wait_to_write(&self) {
        self.memory.wait_until(&self.uses.until_unused());
    }
}

impl Drop for Block {
    /// Copies and kernels may be pending, above all after an error: the memory is not reused before
    /// they have ended.
    fn drop(&mut self) {
        let until = self.memory.progress.now();
        if self.memory.engine.reuses_memory() {
            let block = (self.kind, self.address, self.bytes);
            self.memory.pool.give(block, until);
        } else {
            self.memory.wait_until(&until);
            self.memory.free(self.kind, self.address, self.bytes);
        }
    }
}

impl<T: Pod> DeviceBuffer<T> {
    pub(super) fn new(gpu: &Gpu, length: usize) -> Result<Self, DeviceError> {
        Ok(DeviceBuffer {
            block: Block::new::<T>(gpu, MemoryKind::Device, length)?,
            length,
            elements: PhantomData,
        })
    }
}

impl<T> DeviceBuffer<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if it has no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Size of all elements in bytes.
    pub fn bytes(&self) -> u64 {
        (self.length * size_of::<T>()) as u64
    }

    /// True if it is memory of this device.
    pub(super) fn is_of(&self, gpu: &Gpu) -> bool {
        Arc::ptr_eq(&self.block.memory, gpu.memory())
    }

    /// Error if it has less than `count` elements from element `first` on.
    pub(super) fn check(
        &self,
        what: &'static str,
        first: usize,
        count: usize,
    ) -> Result<(), DeviceError> {
        let needed = first.saturating_add(count);
        if needed <= self.length {
            return Ok(());
        }
        let device = self.block.memory.engine.properties().device.clone();
        Err(DeviceError::OutOfBounds { device, what, needed, length: self.length })
    }

    /// Address that kernels use.
    pub fn address(&self) -> u64 {
        self.block.address
    }

    /// Starts to set each byte, in the first queue and untimed.
    pub fn overwrite(&mut self, byte: u8) -> Result<(), DeviceError>
    where
        T: Pod,
    {
        let bytes = self.length * size_of::<T>();
        // SAFETY: the buffer has that many bytes, any of which make a `T`, and is borrowed mutably.
        unsafe { self.block.memory.start_fill(self.address(), byte, bytes) }
    }
}

/// Writes zeros once for all later users of the memory: its pages are then mapped, and all of its
/// bytes are initialised.
fn zero(start: *mut u8, bytes: usize) {
    // SAFETY: that many bytes were just allocated there, and no other code has them.
    let all = unsafe { std::slice::from_raw_parts_mut(start.cast::<MaybeUninit<u8>>(), bytes) };
    fill(all, MaybeUninit::new(0));
}
