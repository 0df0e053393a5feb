//! Chains of stages on the CPU.
//!
//! | file | chain |
//! |---|---|
//! | `offline` | as the offline reconstruction: objects, lists and maps, double precision |
//! | `online` | as the online one: a worker for each digi or cluster, buckets |
//! | `by_side` | `per-side` and recobench's `time-sweep`: a worker for each side or part of it |
//! | `arrays` | flat arrays with a part for each side |
//! | `raw` | raw data, if a chain starts from them |
//! | `snapshots` | outputs of stages, saved for the next run |
//! | `share_out` | dynamic distribution of work, the largest pieces first |

mod arrays;
mod by_side;
mod offline;
mod online;
mod raw;
mod share_out;
mod snapshots;

use crate::algorithm::{Digest, Segments};
use crate::device::Arena;
use crate::sts::{ChainStage, Product};

pub(super) use by_side::{BySide, Clustering};
pub(super) use offline::Offline;
pub(super) use online::{Online, OnlineConfig};
pub(super) use snapshots::{SavedStage, Snapshot};

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

/// The stages without unpacking, unless `with`.
fn with_or_without_unpacking(stages: &'static [ChainStage], with: bool) -> &'static [ChainStage] {
    if with { stages } else { &stages[1..] }
}

/// All stages, by algorithms that fit together, on one input.
pub(super) trait Chain: Send {
    /// Stages of the chain; [`ChainStage::Unpack`] is one of them if the chain starts from raw data
    /// and unpacks them to a stream.
    fn stages(&self) -> &'static [ChainStage];
    /// Makes the chain start from the raw data of its timeslice, which must have some.
    fn begin_with_raw(&mut self);
    /// Description of the input that earlier stages leave for `stage`; empty if it is the same in
    /// all chains.
    fn given(&self, stage: ChainStage) -> &'static str;
    /// Takes buffers.
    fn take(&mut self, arena: &Arena);
    /// Overwrites all buffers.
    fn poison(&mut self);
    /// Runs a stage on the output of the one before it.
    fn run(&mut self, stage: ChainStage);
    /// Buffers with the outputs of earlier stages that `next` or a later stage reads. They are
    /// saved, and restored before the stage in another run: all of them, even those that the stage
    /// does not change, because variants share buffers, and caches then hold what they hold after
    /// the earlier stages.
    fn inputs_of(&mut self, next: ChainStage) -> Vec<Box<dyn Snapshot + '_>>;
    /// Recomputes the state that is not saved, after inputs were restored.
    fn after_restore(&mut self, _: ChainStage) {}
    /// Output of a stage.
    fn product(&self, stage: ChainStage) -> Product;
    /// The digest of clusters and hits, computed in their buffers; `None` if they have to be copied
    /// first.
    fn digest(&self, _: Segments) -> Option<Digest> {
        None
    }
    /// Gives the buffers back.
    fn release(&mut self, arena: &Arena);
    /// Bytes of all buffers allocated before a run; buffers that grow with the output are measured.
    fn bytes(&self) -> usize;
}
