//! Device memory.

use std::alloc::{Layout, alloc, dealloc};
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;

use super::error::EmulatorError;
use super::traffic::{ByteUses, Counter, Traffic};

/// Alignment of `cudaMalloc`.
const ALIGNMENT: usize = 256;
/// Unused bytes before and after each allocation.
const GUARD: usize = 4096;
/// Content of unwritten memory: not a small number, not a valid address.
pub(super) const POISON: u8 = 0xA5;

/// Aligned bytes between guards.
pub(super) struct Buffer {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: a buffer owns its bytes.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Poisoned bytes.
    pub(super) fn new(size: usize) -> Result<Self, EmulatorError> {
        let layout = Self::layout(size).ok_or_else(|| Self::refused(size))?;
        // SAFETY: the guards make the size more than nothing.
        let start = NonNull::new(unsafe { alloc(layout) });
        let start = start.ok_or_else(|| Self::refused(size))?;
        // SAFETY: just allocated with this size.
        unsafe { start.as_ptr().write_bytes(POISON, layout.size()) };
        Ok(Buffer { start, size })
    }

    /// The first byte after the guard.
    pub(super) fn base(&self) -> *mut u8 {
        // SAFETY: the allocation starts with a guard of `GUARD` bytes, so the result is inside of
        // it.
        unsafe { self.start.as_ptr().add(GUARD) }
    }

    /// Addresses of its bytes.
    pub(super) fn addresses(&self) -> Range<usize> {
        let base = self.base().addr();
        base..base + self.size
    }

    pub(super) fn poison(&mut self) {
        self.bytes_mut().fill(POISON);
    }

    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: `size` bytes lie between the guards, all of them written.
        unsafe { slice::from_raw_parts(self.base(), self.size) }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `size` bytes lie between the guards, all of them written, and `self` is borrowed
        // exclusively.
        unsafe { slice::from_raw_parts_mut(self.base(), self.size) }
    }

    fn layout(size: usize) -> Option<Layout> {
        let guarded = size.checked_add(2 * GUARD)?;
        Layout::from_size_align(guarded, ALIGNMENT).ok()
    }

    fn refused(size: usize) -> EmulatorError {
        EmulatorError::Memory(format!("{size} bytes can't be had: make less data"))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.size) {
            // SAFETY: allocated with the same layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

/// Allocated device memory. It lives until it is freed or the emulator is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    pub(super) number: usize,
    pub(super) address: u64,
    pub(super) bytes: usize,
}

impl Allocation {
    /// Its address, which is a pointer argument of kernels.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// An allocation's bytes, and a record of the written ones.
pub(super) struct Region {
    pub(super) number: usize,
    pub(super) buffer: Buffer,
    /// One for each byte; none if nothing is checked.
    pub(super) written: Vec<bool>,
    /// None if traffic is not counted.
    pub(super) uses: ByteUses,
    /// True if the host reads and writes it directly.
    pub(super) is_shared: bool,
}

/// Bytes that are copied.
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    /// True for each byte that was written; `None` if nothing is checked.
    pub(super) written: Option<Vec<bool>>,
}

/// All allocations of an emulator, ordered by number.
#[derive(Default)]
pub(super) struct DeviceMemory {
    pub(super) regions: Vec<Region>,
    pub(super) counter: Option<Counter>,
    next: usize,
}

impl DeviceMemory {
    pub(super) fn allocate(
        &mut self,
        bytes: usize,
        checked: bool,
    ) -> Result<Allocation, EmulatorError> {
        let buffer = Buffer::new(bytes)?;
        let allocation = Allocation { number: self.next, address: buffer.base() as u64, bytes };
        self.next += 1;
        self.regions.push(Region {
            number: allocation.number,
            buffer,
            written: vec![false; if checked { bytes } else { 0 }],
            uses: ByteUses::new(if self.counter.is_some() { bytes } else { 0 }),
            is_shared: false,
        });
        Ok(allocation)
    }

    pub(super) fn free_at(&mut self, address: u64) -> Result<(), EmulatorError> {
        let found = self.regions.iter().position(|region| region.buffer.base() as u64 == address);
        let index = found.ok_or_else(|| {
            EmulatorError::Memory(format!("no allocation starts at {address:#x}"))
        })?;
        let freed = self.regions.remove(index);
        if let Some(counter) = &mut self.counter {
            counter.add_uses(&freed.uses, freed.is_shared);
        }
        Ok(())
    }

    /// Starts counting reads and writes.
    pub(super) fn count_traffic(&mut self) {
        self.counter = Some(Counter::new());
        for region in &mut self.regions {
            region.uses = ByteUses::new(region.buffer.addresses().len());
        }
    }

    /// Ends the count. None has begun: nothing was counted.
    pub(super) fn end_traffic(&mut self) -> Traffic {
        let Some(mut counter) = self.counter.take() else {
            return Traffic::default();
        };
        for region in &mut self.regions {
            counter.add_uses(&std::mem::take(&mut region.uses), region.is_shared);
        }
        counter.end()
    }

    pub(super) fn region(&mut self, allocation: Allocation) -> Result<&mut Region, EmulatorError> {
        let index = self.index(allocation)?;
        Ok(&mut self.regions[index])
    }

    /// The region that some bytes lie in, and their offset there.
    pub(super) fn at(
        &mut self,
        address: u64,
        bytes: usize,
    ) -> Result<(&mut Region, usize), EmulatorError> {
        let begin = address as usize;
        let end = begin.saturating_add(bytes);
        let contains = |region: &Region| {
            let there = region.buffer.addresses();
            there.start <= begin && end <= there.end
        };
        let found = self.regions.iter_mut().find(|region| contains(region));
        let region = found.ok_or_else(|| {
            EmulatorError::Memory(format!("no allocation has {bytes} bytes at {address:#x}"))
        })?;
        let offset = begin - region.buffer.addresses().start;
        Ok((region, offset))
    }

    /// Reads bytes for a copy to other memory of a device.
    pub(super) fn content(&mut self, from: u64, bytes: usize) -> Result<Content, EmulatorError> {
        let (source, offset) = self.at(from, bytes)?;
        let range = offset..offset + bytes;
        source.uses.read(range.clone());
        Ok(Content {
            bytes: source.buffer.bytes()[range.clone()].to_vec(),
            written: source.written.get(range).map(<[bool]>::to_vec),
        })
    }

    fn index(&self, allocation: Allocation) -> Result<usize, EmulatorError> {
        let found = self.regions.binary_search_by_key(&allocation.number, |r| r.number);
        let matching = found
            .ok()
            .filter(|&index| self.regions[index].buffer.base() as u64 == allocation.address);
        matching.ok_or_else(|| {
            let number = allocation.number;
            EmulatorError::Memory(format!("allocation {number} is freed or another emulator's"))
        })
    }
}

impl Region {
    /// The host has written all of it, or the bytes of a range.
    pub(super) fn mark_written(&mut self, range: Range<usize>) {
        let end = range.end.min(self.written.len());
        if let Some(written) = self.written.get_mut(range.start..end) {
            written.fill(true);
        }
    }
}
