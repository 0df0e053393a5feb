//! How much there is to do.

use super::Metric;
use crate::axis::Params;

/// A point with all parameters, and what it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// All parameters, the defaults filled in.
    pub params: Params,
    /// Bytes of memory: the pristine input, the reference and the buffers.
    pub memory_bytes: u64,
}

/// What a variant takes of [`Plan::memory_bytes`], as shares of it, where inputs are processed one after
/// the other with the same buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryShares {
    /// An input with its references.
    pub input: f64,
    /// The buffers of who processes them, and the copies that are checked.
    pub buffers: f64,
}

impl MemoryShares {
    /// Of a task that does not tell them apart: each input takes all of it.
    pub const UNKNOWN: MemoryShares = MemoryShares { input: 1.0, buffers: 0.0 };

    /// The bytes that so many inputs take, processed one after the other, where one takes `memory_bytes`.
    pub fn bytes(&self, memory_bytes: u64, inputs: usize) -> u64 {
        ((self.input * inputs as f64 + self.buffers) * memory_bytes as f64) as u64
    }
}

/// How much there is to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// The number of things to process.
    pub items: u64,
    /// What they are, in the singular.
    pub item_unit: &'static str,
    /// Bytes that any implementation must read and write: a lower bound, 0 if none is known.
    /// Where it is compared with what implementations do, see `tests/variants/traffic.rs`.
    pub bytes_min: u64,
    /// The size of the input in bytes.
    pub input_bytes: u64,
    /// Bytes that must go from a GPU to the host, if that is all that must cross the link:
    /// the input is on the GPU before.
    pub to_host_bytes: Option<u64>,
    /// Whether there is a reference, or only order and checksums are checked.
    pub has_reference: bool,
    /// Further figures of the task.
    pub metrics: Vec<Metric>,
}
