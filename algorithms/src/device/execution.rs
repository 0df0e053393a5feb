//! Execution context for the buffers of a GPU session.

use std::sync::Arc;

use portable_gpu::Gpu;

use super::Arena;

/// Execution context of a GPU session: the device, the arena of the input, and the host threads
/// that parts of the work may use.
#[derive(Clone, Copy)]
pub(crate) struct Execution<'g, 'a> {
    pub(crate) gpu: &'g Arc<Gpu>,
    pub(crate) arena: &'a Arena,
    pub(crate) threads: usize,
}
