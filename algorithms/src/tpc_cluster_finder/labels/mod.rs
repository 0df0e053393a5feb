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

/// What of a label makes a difference.
#[inline]
pub(super) fn counted(label: u64) -> u64 {
    label & COUNTED
}
