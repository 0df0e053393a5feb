//! Buffers by addresses. Shaders have no pointers, but launchers do: each buffer gets an address
//! range of its own.

use std::collections::BTreeMap;

use wgpu::{Buffer, BufferDescriptor, BufferUsages, Device, ErrorFilter};

/// Alignment of buffers; all buffers are smaller.
const RANGE: u64 = 1 << 40;
/// Granularity of sizes: copies and bindings are of full words, or vectors of four where shaders
/// load such.
const MULTIPLE: u64 = 16;

/// All allocated buffers.
#[derive(Default)]
pub(super) struct Allocations {
    buffers: BTreeMap<u64, Buffer>,
    last: u64,
}

/// A byte of a buffer.
pub(super) struct Location<'b> {
    pub(super) buffer: &'b Buffer,
    pub(super) offset: u64,
}

impl Allocations {
    /// Allocates a buffer of at least `bytes` bytes; `None` if the device has no memory for it.
    pub(super) fn add(&mut self, device: &Device, bytes: u64) -> Option<u64> {
        let scope = device.push_error_scope(ErrorFilter::OutOfMemory);
        let buffer = device.create_buffer(&BufferDescriptor {
            label: None,
            size: bytes.next_multiple_of(MULTIPLE),
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        if pollster::block_on(scope.pop()).is_some() {
            return None;
        }
        self.last += RANGE;
        self.buffers.insert(self.last, buffer);
        Some(self.last)
    }

    pub(super) fn remove(&mut self, address: u64) {
        self.buffers.remove(&address);
    }

    /// Returns the buffer that contains an address, and the byte offset in it.
    pub(super) fn at(&self, address: u64) -> Option<Location<'_>> {
        let (start, buffer) = self.buffers.range(..=address).next_back()?;
        let offset = address - start;
        (offset < buffer.size()).then_some(Location { buffer, offset })
    }
}
