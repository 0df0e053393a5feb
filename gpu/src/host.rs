//! Page-locked and managed memory on the host, and the host sides of copies.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use bytemuck::Pod;

use super::engine::{MemoryKind, host_pointer};
use super::memory::Block;
use super::progress::{Access, PendingCopies};
use super::step::HostUse;
use super::{DeviceError, Gpu};

/// Elements in page-locked host memory, which the device copies at the full speed of the link.
pub struct PinnedBuffer<T> {
    block: Block,
    length: usize,
    elements: PhantomData<T>,
}

/// Elements in page-locked host memory that kernels read and write over the link, without a copy.
pub struct MappedBuffer<T> {
    host: PinnedBuffer<T>,
    device_address: u64,
}

impl<T: Pod> PinnedBuffer<T> {
    pub(super) fn new(gpu: &Gpu, length: usize) -> Result<Self, DeviceError> {
        Self::for_kind(gpu, MemoryKind::Pinned, length)
    }

    fn for_kind(gpu: &Gpu, kind: MemoryKind, length: usize) -> Result<Self, DeviceError> {
        Ok(PinnedBuffer {
            block: Block::new::<T>(gpu, kind, length)?,
            length,
            elements: PhantomData,
        })
    }
}

impl<T> PinnedBuffer<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if it has no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

impl<T: Pod> PinnedBuffer<T> {
    /// A range of elements as the source of a copy.
    ///
    /// # Panics
    /// If the range exceeds the buffer.
    pub fn part(&self, elements: Range<usize>) -> FromHost<'_, T> {
        assert!(elements.start <= elements.end && elements.end <= self.length);
        FromHost {
            start: self.element(elements.start),
            length: elements.len(),
            uses: Some(&self.block.uses),
            lives: PhantomData,
        }
    }

    /// A range of elements as the target of a copy.
    ///
    /// # Panics
    /// If the range exceeds the buffer.
    pub fn part_mut(&mut self, elements: Range<usize>) -> ToHost<'_, T> {
        assert!(elements.start <= elements.end && elements.end <= self.length);
        ToHost {
            start: self.element(elements.start).cast_mut(),
            length: elements.len(),
            uses: Some(&self.block.uses),
            lives: PhantomData,
        }
    }

    fn element(&self, index: usize) -> *const T {
        host_pointer(self.block.address).cast::<T>().wrapping_add(index)
    }
}

/// Elements that host and device access at the same address; they migrate to the side that touches
/// them.
pub struct ManagedBuffer<T> {
    host: PinnedBuffer<T>,
}

impl<T: Pod> ManagedBuffer<T> {
    pub(super) fn new(gpu: &Gpu, length: usize) -> Result<Self, DeviceError> {
        Ok(ManagedBuffer { host: PinnedBuffer::for_kind(gpu, MemoryKind::Managed, length)? })
    }
}

impl<T> ManagedBuffer<T> {
    /// Address on both sides.
    pub fn address(&self) -> u64 {
        self.host.block.address
    }

    /// Size of all elements in bytes.
    pub fn size(&self) -> u64 {
        (self.host.length * size_of::<T>()) as u64
    }
}

/// The caller must have waited for kernels that write the memory.
impl<T: Pod> Deref for ManagedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.host
    }
}

impl<T: Pod> DerefMut for ManagedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.host
    }
}

/// Elements on the host that a copy reads. A copy from page-locked memory may still run after the
/// call that starts it; the buffer then waits for it before it is written.
pub struct FromHost<'a, T> {
    pub(super) start: *const T,
    pub(super) length: usize,
    /// Pending copies of a buffer; `None` for slices.
    pub(super) uses: Option<&'a Arc<PendingCopies>>,
    lives: PhantomData<&'a T>,
}

/// Elements on the host that a copy writes. A copy to page-locked memory may still run after the
/// call that starts it; the buffer then waits for it before it is read or written.
pub struct ToHost<'a, T> {
    pub(super) start: *mut T,
    pub(super) length: usize,
    /// Pending copies of a buffer; `None` for slices.
    pub(super) uses: Option<&'a Arc<PendingCopies>>,
    lives: PhantomData<&'a mut T>,
}

impl<T> FromHost<'_, T> {
    pub(super) fn host_use(&self) -> Option<HostUse> {
        self.uses.map(|uses| HostUse { uses: Arc::clone(uses), access: Access::Read })
    }
}

impl<T> ToHost<'_, T> {
    pub(super) fn host_use(&self) -> Option<HostUse> {
        self.uses.map(|uses| HostUse { uses: Arc::clone(uses), access: Access::Write })
    }
}

impl<'a, T: Pod> From<&'a PinnedBuffer<T>> for FromHost<'a, T> {
    fn from(buffer: &'a PinnedBuffer<T>) -> Self {
        buffer.part(0..buffer.length)
    }
}

impl<'a, T: Pod> From<&'a mut PinnedBuffer<T>> for ToHost<'a, T> {
    fn from(buffer: &'a mut PinnedBuffer<T>) -> Self {
        let length = buffer.length;
        buffer.part_mut(0..length)
    }
}

/// The call that copies from a slice returns when the copy is done.
impl<'a, T> From<&'a [T]> for FromHost<'a, T> {
    fn from(slice: &'a [T]) -> Self {
        FromHost { start: slice.as_ptr(), length: slice.len(), uses: None, lives: PhantomData }
    }
}

/// The call that copies to a slice returns when the copy is done.
impl<'a, T> From<&'a mut [T]> for ToHost<'a, T> {
    fn from(slice: &'a mut [T]) -> Self {
        ToHost { start: slice.as_mut_ptr(), length: slice.len(), uses: None, lives: PhantomData }
    }
}

impl<'a, T> From<&'a Vec<T>> for FromHost<'a, T> {
    fn from(vector: &'a Vec<T>) -> Self {
        vector.as_slice().into()
    }
}

impl<'a, T> From<&'a mut Vec<T>> for ToHost<'a, T> {
    fn from(vector: &'a mut Vec<T>) -> Self {
        vector.as_mut_slice().into()
    }
}

impl<T: Pod> MappedBuffer<T> {
    pub(super) fn new(gpu: &Gpu, length: usize) -> Result<Self, DeviceError> {
        let host = PinnedBuffer::for_kind(gpu, MemoryKind::Mapped, length)?;
        let start = host_pointer(host.block.address);
        Ok(MappedBuffer { device_address: gpu.engine().device_address(start)?, host })
    }
}

impl<T: Pod> MappedBuffer<T> {
    /// A range of elements as the target of a copy: see [`PinnedBuffer::part_mut`].
    ///
    /// # Panics
    /// If the range exceeds the buffer.
    pub fn part_mut(&mut self, elements: Range<usize>) -> ToHost<'_, T> {
        self.host.part_mut(elements)
    }
}

impl<T> MappedBuffer<T> {
    /// Address that kernels use.
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
        self.block.wait_to_read();
        // SAFETY: the block has that many elements; its bytes were written when it was
        // allocated; any bytes make a `T`; it is aligned to `ALIGNMENT`, which is enough for a `T`;
        // and no copy that writes them is running.
        unsafe { std::slice::from_raw_parts(host_pointer(self.block.address).cast(), self.length) }
    }
}

impl<T: Pod> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.block.wait_to_write();
        // SAFETY: the block has that many elements, all initialised and aligned (see `deref`); no
        // copy that reads them is running, and the buffer is borrowed mutably.
        unsafe {
            std::slice::from_raw_parts_mut(host_pointer(self.block.address).cast(), self.length)
        }
    }
}
