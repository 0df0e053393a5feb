//! Work that was started, and its resources.

use std::collections::{BTreeMap, HashMap};

use wgpu::{BindGroup, CommandEncoder, Device, Queue};

use super::allocations::Allocations;
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
