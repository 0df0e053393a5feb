//! From the digis of a module side to clusters.
//!
//! | file | way |
//! |---|---|
//! | `friese` | in order of time, one active digi a channel: the offline reconstruction |
//! | `connectors` | a worker a digi, connected by atomic words: the online one |
//! | `by_channel` | a worker a side: neighbouring channels are merged |
//! | `time_sweep` | ours: one pass in order of time, a look at both neighbours |
//! | `links`, `formulas` | what they share: who follows whom, and what a chain becomes |
//! | `long_chains` | the same for many chains of three digis or more at a time |

mod by_channel;
mod connectors;
mod formulas;
mod friese;
mod links;
mod long_chains;
mod time_sweep;

pub(super) use by_channel::ByChannel;
pub(super) use connectors::{Connectors, SortedDigis, Zeroing};
pub(super) use formulas::ClusterFormulas;
pub(super) use friese::Friese;
pub(super) use time_sweep::TimeSweep;

/// What is known of clusters that were found together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Found {
    pub(super) clusters: usize,
    /// The largest error of their times.
    pub(super) latest_error: f32,
}
