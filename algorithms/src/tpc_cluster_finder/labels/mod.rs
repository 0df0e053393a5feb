//! Labels: the simulated particles that produced the charges of a cluster.
//!
//! A sample has a list of labels, and a cluster those of its charges, each once. Of a label, 31
//! bits are a track id, 19 an event id, 8 a source id; a bit above marks a fake. A fake and its
//! counterpart are the same label: the one that occurs first is kept. `docs/tpc-labels.md`
//! specifies which charges count.
//!
//! | module | holds |
//! |---|---|
//! | `collect` | collectors of labels, each once |
//! | `clusters` | clusters with their labels |
//! | `generate` | labels of generated samples |

mod clusters;
pub(super) mod collect;
pub(super) mod generate;

pub use clusters::Clusters;

/// The bits that count in comparisons.
const COUNTED: u64 = (1 << 58) - 1;

/// The label of a sample without a particle: all ones but the lowest bit.
pub(super) const NOISE: u64 = u64::MAX - 1;
/// A label that was never set.
const NOT_SET: u64 = u64::MAX;

/// True for the label of no particle.
pub(super) fn is_noise(label: u64) -> bool {
    [NOISE, NOT_SET].map(counted).contains(&counted(label))
}

/// The bits of a label that count in comparisons.
#[inline]
pub(super) fn counted(label: u64) -> u64 {
    label & COUNTED
}
