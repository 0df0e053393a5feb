//! Ways to do each stage, joined to chains.
//!
//! | file | chain |
//! |---|---|
//! | `offline` | as the offline reconstruction: objects, lists and maps, double precision |
//! | `online` | as the online one: a worker a digi, a worker a cluster, buckets |
//! | `by_side` | `per-side` and ours, `time-sweep`: a worker a side or a part of it |
//! | `arrays` | flat arrays with a part for each side |
//! | `raw` | raw data, if a chain begins with them |
//! | `left` | what stages left, to be kept for the next run |
//! | `share_out` | work for all threads, the largest pieces first |

mod arrays;
mod by_side;
mod left;
mod offline;
mod online;
mod raw;
mod share_out;

use crate::algorithm::{Digest, Segments};
use crate::device::Arena;
use crate::sts::{ChainStage, Product};

pub(super) use by_side::{BySide, Clustering};
pub(super) use left::{Kept, Left};
pub(super) use offline::Offline;
pub(super) use online::{Online, OnlineWays};

/// The usual stages, with unpacking in front.
const USUAL: [ChainStage; 7] = [
    ChainStage::Unpack,
    ChainStage::Presort,
    ChainStage::Sort,
    ChainStage::Cluster,
    ChainStage::ClusterSort,
    ChainStage::Hits,
    ChainStage::Collect,
];

/// Of stages that begin with unpacking those that are done.
fn with_or_without_unpacking(stages: &'static [ChainStage], with: bool) -> &'static [ChainStage] {
    if with { stages } else { &stages[1..] }
}

/// All stages by ways that fit together, on one input.
pub(super) trait Chain: Send {
    /// The stages that it has; [`ChainStage::Unpack`] is one where it begins with raw data and
    /// makes a stream of them.
    fn stages(&self) -> &'static [ChainStage];
    /// Says that it is to begin with the raw data of its timeslice, which has some.
    fn begin_with_raw(&mut self);
    /// What the stages before this one leave for it, in words; empty where that is the same
    /// in all chains.
    fn given(&self, stage: ChainStage) -> &'static str;
    /// Takes buffers.
    fn take(&mut self, arena: &Arena);
    /// Overwrites all buffers.
    fn poison(&mut self);
    /// Does a stage on what the one before it left.
    fn run(&mut self, stage: ChainStage);
    /// What the stages before this one left, as far as it or a later one reads that. It is
    /// kept, and brought back into the buffers of another run before the stage: all of it,
    /// even what the stage does not change, for buffers go from one variant to the next, and
    /// the caches have it as after the stages before.
    fn left_before(&mut self, next: ChainStage) -> Vec<Box<dyn Left + '_>>;
    /// Does what is left to do once that was brought back.
    fn brought_back(&mut self, _: ChainStage) {}
    /// What a stage left.
    fn product(&self, stage: ChainStage) -> Product;
    /// The digest of clusters and hits, found where they lie; `None` if they have to be copied first.
    fn digest(&self, _: Segments) -> Option<Digest> {
        None
    }
    /// Gives the buffers back.
    fn release(&mut self, arena: &Arena);
    /// Bytes of all buffers that are there before a run; what it finds takes room that is
    /// measured.
    fn bytes(&self) -> usize;
}
