//! Buffers by addresses. Shaders have no pointers, but launchers do: each buffer gets a range of
//! addresses that nothing else has.

use std::collections::BTreeMap;

use wgpu::{Buffer, BufferDescriptor, BufferUsages, Device, ErrorFilter};

/// A buffer begins at a multiple of this, and none is as large.
const RANGE: u64 = 1 << 40;
/// Copies and bindings are of whole words, vectors of four where shaders load such.
const MULTIPLE: u64 = 16;

/// All buffers that there are.
#[derive(Default)]
pub(super) struct Allocations {
    buffers: BTreeMap<u64, Buffer>,
    last: u64,
}

impl Allocations {
    /// A buffer of at least so many bytes; `None` if the device has no room for it.
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

    /// The buffer that an address lies in, and where in it; `None` if it is nobody's.
    pub(super) fn at(&self, address: u64) -> Option<(&Buffer, u64)> {
        let (start, buffer) = self.buffers.range(..=address).next_back()?;
        let offset = address - start;
        (offset < buffer.size()).then_some((buffer, offset))
    }
}
