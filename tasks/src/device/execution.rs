//! Execution context for the buffers of a GPU session.

use std::sync::Arc;

use portable_gpu::Gpu;

use super::Arena;

/// Execution context of a GPU session: the device, the arena of the input, and the host threads
/// that parts of the work may use.
#[derive(Clone, Copy)]
pub struct Execution<'g, 'a> {
    /// The device.
    pub gpu: &'g Arc<Gpu>,
    /// Arena of the input.
    pub arena: &'a Arena,
    /// Host threads that parts of the work may use.
    pub threads: usize,
}
