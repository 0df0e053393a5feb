//! Work that was started, and its resources: buffers by addresses, because shaders have no pointers,
//! but launchers do; each buffer gets an address range of its own.

use std::collections::{BTreeMap, HashMap};

use wgpu::{
    BindGroup, Buffer, BufferDescriptor, BufferUsages, CommandEncoder, Device, ErrorFilter, Queue,
};

use super::clock::Clock;
use super::staging::Staging;

/// All state of the engine that changes.
#[derive(Default)]
pub(super) struct PendingWork {
    /// Commands that are not submitted yet.
    encoder: Option<CommandEncoder>,
    pub(super) allocations: Allocations,
    /// Bind groups by shader name and buffer addresses.
    pub(super) bindings: HashMap<(&'static str, Vec<u64>), BindGroup>,
    pub(super) staging: Staging,
    pub(super) clock: Option<Clock>,
    /// True if no work starts before the host waits.
    pub(super) is_held: bool,
    /// Shaders that may be running.
    pub(super) running: Vec<&'static str>,
    /// Start and end of each block of page-locked memory.
    pub(super) pinned: BTreeMap<usize, usize>,
}

/// Command encoder with the resources that commands need.
pub(super) struct Recording<'w> {
    pub(super) encoder: &'w mut CommandEncoder,
    pub(super) allocations: &'w mut Allocations,
    pub(super) staging: &'w mut Staging,
    /// `None` if no times are taken.
    pub(super) clock: Option<&'w mut Clock>,
}

impl PendingWork {
    /// Without any work.
    pub(super) fn with(clock: Option<Clock>) -> Self {
        PendingWork { clock, ..PendingWork::default() }
    }

    /// Returns the encoder for further commands, with the resources that these need.
    pub(super) fn recording(&mut self, device: &Device) -> Recording<'_> {
        let PendingWork { encoder, allocations, staging, clock, .. } = self;
        let begun = || device.create_command_encoder(&Default::default());
        let encoder = encoder.get_or_insert_with(begun);
        Recording { encoder, allocations, staging, clock: clock.as_mut() }
    }

    pub(super) fn submit(&mut self, queue: &Queue) {
        self.is_held = false;
        if let Some(encoder) = self.encoder.take() {
            queue.submit([encoder.finish()]);
        }
    }

    pub(super) fn is_pinned(&self, start: *const u8) -> bool {
        let address = start.addr();
        let before = self.pinned.range(..=address).next_back();
        before.is_some_and(|(_, &end)| address < end)
    }
}

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
