//! Labels: which simulated particles left the charges of a cluster.
//!
//! A sample has a list of labels, and a cluster those of its charges, each once. Of a label 31 bits
//! are the number of a track, 19 that of an event, 8 that of a source; a bit above says that it is
//! a fake. A fake and its counterpart are the same label: of both the one that was met first is
//! kept. `docs/tpc-labels.md` says which charges count.
//!
//! | module | holds |
//! |---|---|
//! | `collect` | ways to collect labels, each once |
//! | `clusters` | clusters with their labels |
//! | `generate` | labels of generated samples |

mod clusters;
pub(super) mod collect;
pub(super) mod generate;

pub use clusters::Clusters;

/// The bits that make a difference.
const COUNTED: u64 = (1 << 58) - 1;

/// The label of a sample that no particle left: all ones but the lowest.
pub(super) const NOISE: u64 = u64::MAX - 1;
/// A label that was never set.
const NOT_SET: u64 = u64::MAX;

/// Whether it is the label of no particle.
pub(super) fn is_noise(label: u64) -> bool {
    [NOISE, NOT_SET].map(counted).contains(&counted(label))
}

/// What of a label makes a difference.
#[inline]
pub(super) fn counted(label: u64) -> u64 {
    label & COUNTED
}
