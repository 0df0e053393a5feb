//! Memory on the device, and page-locked memory on the host.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bytemuck::Pod;

use super::DeviceError;
use super::engine::Engine;
use super::pool::{Kind, Pool};

/// Memory of all kinds.
pub(super) struct Memory {
    pub(super) pool: Pool,
    pub(super) engine: Box<dyn Engine>,
}

/// A block of memory of some kind.
struct Block {
    memory: Arc<Memory>,
    kind: Kind,
    address: u64,
    bytes: usize,
}

/// So many elements in device memory.
pub struct DeviceBuffer<T> {
    block: Block,
    length: usize,
    elements: PhantomData<T>,
}

/// So many elements in page-locked memory of the host, which the device copies
/// at the full speed of the link.
pub struct PinnedBuffer<T> {
    block: Block,
    length: usize,
    elements: PhantomData<T>,
}

impl Memory {
    /// Frees the memory that nobody has.
    pub(super) fn trim(&self) {
        for (kind, address, bytes) in self.pool.drain() {
            self.free(kind, address, bytes);
        }
    }

    /// From the pool, or else from the system; what lies in the pool goes if
    /// that helps.
    fn take(&self, kind: Kind, bytes: usize) -> Result<(u64, usize), DeviceError> {
        if let Some(found) = self.pool.take(kind, bytes) {
            return Ok(found);
        }
        let first = self.allocate(kind, bytes);
        let taken = first.or_else(|_| {
            self.trim();
            self.allocate(kind, bytes)
        });
        Ok((taken?, bytes))
    }

    fn allocate(&self, kind: Kind, bytes: usize) -> Result<u64, DeviceError> {
        match kind {
            Kind::Device => self.engine.allocate(bytes),
            Kind::Pinned => Ok(self.engine.pin(bytes)?.expose_provenance() as u64),
        }
    }

    fn free(&self, kind: Kind, address: u64, bytes: usize) {
        // SAFETY: the address came from `allocate` with this kind and size, and
        // whoever had it is gone.
        unsafe {
            match kind {
                Kind::Device => self.engine.free(address),
                Kind::Pinned => self.engine.unpin(host_pointer(address), bytes),
            }
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.trim();
    }
}

impl Block {
    fn new(memory: &Arc<Memory>, kind: Kind, bytes: usize) -> Result<Self, DeviceError> {
        let (address, bytes) = memory.take(kind, bytes.max(1))?;
        Ok(Block {
            memory: Arc::clone(memory),
            kind,
            address,
            bytes,
        })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.memory.engine.reuses_memory() {
            self.memory.pool.give(self.kind, self.address, self.bytes);
        } else {
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
}

impl<T: Pod> PinnedBuffer<T> {
    pub(super) fn new(memory: &Arc<Memory>, length: usize) -> Result<Self, DeviceError> {
        let block = Block::new(memory, Kind::Pinned, length * size_of::<T>())?;
        // SAFETY: the block has so many bytes, and nobody else has it.
        unsafe { host_pointer(block.address).write_bytes(0, length * size_of::<T>()) };
        Ok(PinnedBuffer {
            block,
            length,
            elements: PhantomData,
        })
    }
}

impl<T: Pod> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `new` made so many elements; any bytes make a `T`; and the
        // memory is aligned to a page.
        unsafe { std::slice::from_raw_parts(host_pointer(self.block.address).cast(), self.length) }
    }
}

impl<T: Pod> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe {
            std::slice::from_raw_parts_mut(host_pointer(self.block.address).cast(), self.length)
        }
    }
}

fn host_pointer(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}
