//! What was started, and what it uses.

use std::collections::{BTreeMap, HashMap};

use wgpu::{BindGroup, CommandEncoder, Device, Queue};

use super::allocations::Allocations;
use super::clock::Clock;
use super::staging::Staging;

/// All of it.
#[derive(Default)]
pub(super) struct Work {
    /// What is not submitted yet.
    encoder: Option<CommandEncoder>,
    pub(super) allocations: Allocations,
    /// Buffers of a shader as it wants them, by its name and their addresses.
    pub(super) bindings: HashMap<(&'static str, Vec<u64>), BindGroup>,
    pub(super) staging: Staging,
    pub(super) clock: Option<Clock>,
    /// Whether nothing begins before the host waits.
    pub(super) is_held: bool,
    /// Shaders that may be running.
    pub(super) running: Vec<&'static str>,
    /// Where page-locked memory begins and ends.
    pub(super) pinned: BTreeMap<usize, usize>,
}

/// What records work, with all that it may be about.
pub(super) struct Recording<'w> {
    pub(super) encoder: &'w mut CommandEncoder,
    pub(super) allocations: &'w mut Allocations,
    pub(super) staging: &'w mut Staging,
    /// None where no times are taken.
    pub(super) clock: Option<&'w mut Clock>,
}

impl Work {
    /// Nothing yet.
    pub(super) fn with(clock: Option<Clock>) -> Self {
        Work { clock, ..Work::default() }
    }

    /// What records further work, and what that may need.
    pub(super) fn recording(&mut self, device: &Device) -> Recording<'_> {
        let Work { encoder, allocations, staging, clock, .. } = self;
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
