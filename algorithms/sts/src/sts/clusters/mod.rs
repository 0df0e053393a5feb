//! From the digis of a module side to clusters.
//!
//! | file | algorithm |
//! |---|---|
//! | `friese` | in order of time, one active digi per channel: the offline reconstruction |
//! | `connectors` | a worker for each digi, connected by atomic words: the online one |
//! | `by_channel` | a worker for each side: neighbouring channels are merged |
//! | `time_sweep` | recobench: one pass in order of time over both neighbouring channels |
//! | `links`, `formulas` | shared: successors of digis, and clusters of chains |
//! | `long_chains` | shapes of chains of three digis or more, in batches |

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

/// Number and latest error of clusters that were found together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FoundClusters {
    pub(super) clusters: usize,
    /// The largest error of their times.
    pub(super) latest_error: f32,
}
