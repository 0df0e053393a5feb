//! How much there is to do, and the figures that follow from it.

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
    /// Bytes that any implementation must move: read and written.
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

/// A figure that a task wants to see in the results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Its name, with the unit.
    pub name: &'static str,
    amount: f64,
    relation: Relation,
}

/// How a figure follows from an amount and the time of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is the amount.
    Itself,
    /// It is the amount that is done in a second.
    PerSecond,
    /// It is the seconds that one of the amount takes.
    SecondsEach,
}

impl Metric {
    /// A figure that follows from an amount.
    pub const fn new(name: &'static str, amount: f64, relation: Relation) -> Self {
        Metric { name, amount, relation }
    }

    /// The figure for a run of so many seconds; not finite if there is none.
    pub fn value(&self, seconds: f64) -> f64 {
        match self.relation {
            Relation::Itself => self.amount,
            Relation::PerSecond => self.amount / seconds,
            Relation::SecondsEach => seconds / self.amount,
        }
    }
}
