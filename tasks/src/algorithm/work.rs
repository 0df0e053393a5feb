//! Amount of work and memory.

use super::Metric;
use crate::axis::Params;

/// A planned point: all parameters, and its memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// All parameters, including defaults.
    pub params: Params,
    /// Bytes of memory: the pristine input, the reference and the buffers.
    pub memory_bytes: u64,
}

/// Shares of [`Plan::memory_bytes`] that a variant needs if inputs are processed one after the
/// other with the same buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryShares {
    /// An input with its references.
    pub input: f64,
    /// Buffers for processing an input, and the copies that are checked.
    pub buffers: f64,
}

impl MemoryShares {
    /// For a task without separate shares: each input takes all of the memory.
    pub const UNKNOWN: MemoryShares = MemoryShares { input: 1.0, buffers: 0.0 };

    /// Bytes of memory of `inputs` inputs that are processed one after the other, if one takes
    /// `memory_bytes`.
    pub fn bytes(&self, memory_bytes: u64, inputs: usize) -> u64 {
        ((self.input * inputs as f64 + self.buffers) * memory_bytes as f64) as u64
    }
}

/// Amount of work of an input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Number of items to process.
    pub items: u64,
    /// Name of an item, in the singular.
    pub item_unit: &'static str,
    /// Bytes that any implementation must read and write: a lower bound, 0 if unknown.
    /// `tests/variants/traffic.rs` compares it with the traffic of the implementations.
    pub bytes_min: u64,
    /// Size of the input in bytes.
    pub input_bytes: u64,
    /// Bytes that must be copied from a GPU to the host, if the input is already on the GPU.
    pub to_host_bytes: Option<u64>,
    /// True if there is a reference; otherwise only order and checksums are checked.
    pub has_reference: bool,
    /// Further metrics of the task.
    pub metrics: Vec<Metric>,
}
