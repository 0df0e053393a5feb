//! Memory of all kinds, and buffers on the device.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;

use super::DeviceError;
use super::engine::{Engine, Properties};
use super::pool::{self, Kind, Pool};
use super::progress::{Moment, Progress, Uses};
use crate::all_cores::fill;

/// Memory of all kinds.
pub(super) struct Memory {
    pub(super) pool: Pool,
    pub(super) progress: Progress,
    pub(super) engine: Box<dyn Engine>,
    /// Where page-locked memory begins and ends.
    page_locked: Mutex<BTreeMap<u64, u64>>,
}

/// A block of memory of some kind.
pub(super) struct Block {
    memory: Arc<Memory>,
    kind: Kind,
    pub(super) address: u64,
    bytes: usize,
    /// Copies from and to it.
    pub(super) uses: Uses,
}

/// So many elements in device memory.
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
            page_locked: Mutex::default(),
        }
    }

    /// Frees the memory on the device that nobody has, and page-locked memory that nobody
    /// has used for long.
    pub(super) fn trim(&self) {
        self.free_all(self.pool.outdated());
    }

    fn free_all(&self, blocks: Vec<pool::Block>) {
        if !blocks.is_empty() {
            self.wait_until(&self.progress.now());
        }
        for (kind, address, bytes) in blocks {
            self.free(kind, address, bytes);
        }
    }

    /// From the pool, or else from the system; what lies in the pool goes if
    /// that helps.
    fn take(&self, kind: Kind, bytes: usize) -> Result<(u64, usize), DeviceError> {
        if let Some((address, size, until)) = self.pool.take(kind, bytes) {
            // What is started in the same queue comes after what is under way there.
            if kind != Kind::Device || !self.progress.has_passed_elsewhere(&until) {
                self.wait_until(&until);
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

    fn allocate(&self, kind: Kind, bytes: usize) -> Result<u64, DeviceError> {
        let start = match kind {
            Kind::Device => return self.engine.allocate(bytes),
            Kind::Pinned => self.engine.pin(bytes)?,
            Kind::Mapped => self.engine.map(bytes)?,
            Kind::Managed => return self.manage(bytes),
        };
        let address = zeroed(start, bytes);
        self.page_locked().insert(address, address + bytes as u64);
        Ok(address)
    }

    /// Never more than the device has free: what does not fit would move to and fro.
    fn manage(&self, bytes: usize) -> Result<u64, DeviceError> {
        let (needed, free) = (bytes as u64, self.engine.free_bytes()?);
        if let Some(free) = free.filter(|&free| free < needed) {
            let Properties { device, memory_bytes, .. } = self.engine.properties().clone();
            return Err(DeviceError::OutOfMemory { device, needed, free, total: memory_bytes });
        }
        Ok(zeroed(self.engine.manage(bytes)?, bytes))
    }

    /// Whether some memory of the host is page-locked, so that copies go on after their call.
    pub(super) fn is_page_locked(&self, start: *const u8) -> bool {
        let address = start.addr() as u64;
        let page_locked = self.page_locked();
        let before = page_locked.range(..=address).next_back();
        before.is_some_and(|(_, &end)| address < end)
    }

    fn page_locked(&self) -> MutexGuard<'_, BTreeMap<u64, u64>> {
        self.page_locked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until what was started until then has ended: in the chosen queue only, where
    /// that is enough. Whatever went wrong, nothing is under way after it.
    pub(super) fn wait_until(&self, until: &Moment) {
        if self.progress.has_passed(until) {
            return;
        }
        self.engine.let_go();
        let now = self.progress.now();
        // What went wrong is told to whoever waits for its results.
        if self.progress.has_passed_elsewhere(until) {
            let _ = self.engine.wait();
            self.progress.chosen_ended(&now);
        } else {
            let _ = self.engine.finish();
            self.progress.all_ended(&now);
        }
    }

    fn free(&self, kind: Kind, address: u64, bytes: usize) {
        self.page_locked().remove(&address);
        // SAFETY: the address came from `allocate` with this kind and size, and
        // whoever had it is gone.
        unsafe {
            match kind {
                Kind::Device => self.engine.free(address),
                Kind::Pinned => self.engine.unpin(host_pointer(address), bytes),
                Kind::Mapped => self.engine.unmap(host_pointer(address), bytes),
                Kind::Managed => self.engine.unmanage(host_pointer(address), bytes),
            }
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.free_all(self.pool.drain());
    }
}

impl Block {
    pub(super) fn new(memory: &Arc<Memory>, kind: Kind, bytes: usize) -> Result<Self, DeviceError> {
        let (address, bytes) = memory.take(kind, bytes.max(1))?;
        Ok(Block { memory: Arc::clone(memory), kind, address, bytes, uses: Uses::default() })
    }

    /// Waits until no copy uses it any more.
    pub(super) fn wait(&self) {
        self.memory.wait_until(&self.uses.until());
    }
}

impl Drop for Block {
    /// Copies and kernels may be under way, above all after an error: nobody has the memory
    /// before they have ended.
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
    pub(super) fn new(memory: &Arc<Memory>, length: usize) -> Result<Self, DeviceError> {
        Ok(DeviceBuffer {
            block: Block::new(memory, Kind::Device, length * size_of::<T>())?,
            length,
            elements: PhantomData,
        })
    }
}

impl<T> DeviceBuffer<T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> u64 {
        (self.length * size_of::<T>()) as u64
    }

    /// Where kernels find it.
    pub fn address(&self) -> u64 {
        self.block.address
    }

    /// Starts to set each byte, where no times are taken.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn overwrite(&mut self, byte: u8) -> Result<(), DeviceError>
    where
        T: Pod,
    {
        let bytes = self.length * size_of::<T>();
        self.block.memory.progress.start(None);
        // SAFETY: the buffer has so many bytes, any of which make a `T`.
        unsafe { self.block.memory.engine.fill(self.address(), byte, bytes) }
    }
}

/// Writes zeros once, whoever takes the memory later: its pages are then there,
/// and all of its bytes are some.
fn zeroed(start: *mut u8, bytes: usize) -> u64 {
    // SAFETY: so many bytes were just allocated there, and nobody else has them.
    let all = unsafe { std::slice::from_raw_parts_mut(start.cast::<MaybeUninit<u8>>(), bytes) };
    fill(all, MaybeUninit::new(0));
    start.expose_provenance() as u64
}

pub(super) fn host_pointer(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}
