//! Memory on the device, and page-locked memory on the host, which kernels may
//! reach or not.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use bytemuck::Pod;

use super::DeviceError;
use super::engine::Engine;
use super::pool::{self, Kind, Pool};
use crate::all_cores::fill;

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

/// So many elements in page-locked memory of the host that kernels read and
/// write over the link, without a copy.
pub struct MappedBuffer<T> {
    host: PinnedBuffer<T>,
    device_address: u64,
}

impl Memory {
    /// Frees the memory on the device that nobody has, and page-locked memory that nobody
    /// has used for long.
    pub(super) fn trim(&self) {
        self.free_all(self.pool.outdated());
    }

    fn free_all(&self, blocks: Vec<pool::Block>) {
        for (kind, address, bytes) in blocks {
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
            self.free_all(self.pool.drain());
            self.allocate(kind, bytes)
        });
        Ok((taken?, bytes))
    }

    fn allocate(&self, kind: Kind, bytes: usize) -> Result<u64, DeviceError> {
        match kind {
            Kind::Device => self.engine.allocate(bytes),
            Kind::Pinned => self.engine.pin(bytes).map(|start| zeroed(start, bytes)),
            Kind::Mapped => self.engine.map(bytes).map(|start| zeroed(start, bytes)),
        }
    }

    fn free(&self, kind: Kind, address: u64, bytes: usize) {
        // SAFETY: the address came from `allocate` with this kind and size, and
        // whoever had it is gone.
        unsafe {
            match kind {
                Kind::Device => self.engine.free(address),
                Kind::Pinned => self.engine.unpin(host_pointer(address), bytes),
                Kind::Mapped => self.engine.unmap(host_pointer(address), bytes),
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

    /// Starts to set each byte, where no times are taken.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn overwrite(&mut self, byte: u8) -> Result<(), DeviceError>
    where
        T: Pod,
    {
        let bytes = self.length * size_of::<T>();
        // SAFETY: the buffer has so many bytes, any of which make a `T`.
        unsafe { self.block.memory.engine.fill(self.address(), byte, bytes) }
    }
}

impl<T: Pod> PinnedBuffer<T> {
    pub(super) fn new(memory: &Arc<Memory>, length: usize) -> Result<Self, DeviceError> {
        Self::of_kind(memory, Kind::Pinned, length)
    }

    fn of_kind(memory: &Arc<Memory>, kind: Kind, length: usize) -> Result<Self, DeviceError> {
        Ok(PinnedBuffer {
            block: Block::new(memory, kind, length * size_of::<T>())?,
            length,
            elements: PhantomData,
        })
    }
}

impl<T: Pod> MappedBuffer<T> {
    pub(super) fn new(memory: &Arc<Memory>, length: usize) -> Result<Self, DeviceError> {
        let host = PinnedBuffer::of_kind(memory, Kind::Mapped, length)?;
        let start = host_pointer(host.block.address);
        Ok(MappedBuffer {
            device_address: memory.engine.device_address(start)?,
            host,
        })
    }
}

impl<T> MappedBuffer<T> {
    /// Where kernels find it.
    pub fn device_address(&self) -> u64 {
        self.device_address
    }
}

impl<T: Pod> Deref for MappedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.host
    }
}

impl<T: Pod> DerefMut for MappedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.host
    }
}

impl<T: Pod> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the block has room for so many elements; its bytes were written
        // when it was allocated; any bytes make a `T`; and it is aligned to a page.
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

/// Writes zeros once, whoever takes the memory later: its pages are then there,
/// and all of its bytes are some.
fn zeroed(start: *mut u8, bytes: usize) -> u64 {
    // SAFETY: so many bytes were just allocated there, and nobody else has them.
    let all = unsafe { std::slice::from_raw_parts_mut(start.cast::<MaybeUninit<u8>>(), bytes) };
    fill(all, MaybeUninit::new(0));
    start.expose_provenance() as u64
}

fn host_pointer(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}
