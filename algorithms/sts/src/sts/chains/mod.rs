//! Chains of stages on the CPU.
//!
//! | file | chain |
//! |---|---|
//! | `offline` | as the offline reconstruction: objects, lists and maps, double precision |
//! | `online` | as the online one: a worker for each digi or cluster, buckets |
//! | `by_side` | `per-side` and recobench's `time-sweep`: a worker for each side or part of it |
//! | `arrays` | flat arrays with a part for each side |
//! | `preconditions` | what earlier stages leave for each stage |
//! | `raw` | raw data, if a chain starts from them |
//! | `snapshots` | outputs of stages, saved for the next run |
//! | `share_out` | dynamic distribution of work, the largest pieces first |

mod arrays;
mod by_side;
mod offline;
mod online;
mod preconditions;
mod raw;
mod share_out;
mod snapshots;

use portable_gpu::DeviceError;
use portable_gpu::timing::Laps;

use crate::sts::{ChainStage, Product};
use tasks::algorithm::{Digest, Segments};
use tasks::device::{Arena, Buffers};

pub(super) use by_side::{BySide, Clustering};
pub(super) use offline::Offline;
pub(super) use online::{Online, OnlineConfig};
pub(super) use preconditions::Preconditions;
pub(super) use snapshots::{SavedBuffer, Snapshot, value};

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
pub(super) fn with_or_without_unpacking(
    stages: &'static [ChainStage],
    with: bool,
) -> &'static [ChainStage] {
    if with { stages } else { &stages[1..] }
}

/// All stages, by algorithms that fit together, on one input: on the CPU or on a GPU. Chains on the
/// CPU do not fail.
///
/// A chain stays from one run to the next, with the scratch memory of its workers; it has buffers
/// from [`Chain::take`] to [`Chain::release`] only.
pub(super) trait Chain: Buffers {
    /// Makes a chain on the CPU start from the raw data of its timeslice, which must have some.
    fn begin_with_raw(&mut self) {}
    /// Input that earlier stages leave for each stage.
    fn preconditions(&self) -> Preconditions;
    /// Takes buffers.
    fn take(&mut self, arena: &Arena) -> Result<(), DeviceError>;
    /// Stages of the chain; [`ChainStage::Unpack`] is one of them if the chain starts from raw data
    /// and unpacks them to a stream. None if they can't run by themselves.
    fn stages(&self) -> &'static [ChainStage] {
        &[]
    }
    /// Runs a stage on the output of the one before it. On a GPU it is only started.
    fn run(&mut self, _: ChainStage) -> Result<(), DeviceError> {
        Ok(())
    }
    /// Buffers with the outputs of earlier stages that `next` or a later stage reads. They are
    /// saved, and restored before the stage in another run: all of them, even those that the stage
    /// does not change, because variants share buffers, and caches then hold what they hold after
    /// the earlier stages.
    fn inputs_of(&mut self, _next: ChainStage) -> Vec<Box<dyn Snapshot + '_>> {
        Vec::new()
    }
    /// Recomputes the state that is not saved, after inputs were restored.
    fn after_restore(&mut self, _: ChainStage) -> Result<(), DeviceError> {
        Ok(())
    }
    /// Prepares runs of all stages. Not timed.
    fn prepare(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
    /// Runs all stages. Timed.
    fn run_all(&mut self, laps: &mut Laps) -> Result<(), DeviceError> {
        for &stage in self.stages() {
            self.run(stage)?;
            laps.lap(stage.name(), 0);
        }
        Ok(())
    }
    /// Output of a stage, copied to the host.
    fn product(&mut self, _: ChainStage) -> Result<Product, DeviceError> {
        Ok(Product::Nothing)
    }
    /// Output of a stage, or of the whole chain, for each of its timeslices.
    fn products(&mut self, stage: Option<ChainStage>) -> Result<Vec<Product>, DeviceError> {
        Ok(vec![Product::for_stage(stage, |stage| self.product(stage))?])
    }
    /// The digest of clusters and hits, computed in their buffers; `None` if they have to be copied
    /// first.
    fn digest(&mut self, _: Segments) -> Result<Option<Digest>, DeviceError> {
        Ok(None)
    }
    /// Releases the buffers.
    fn release(&mut self, arena: &Arena);
}
