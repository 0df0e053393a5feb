//! Finding clusters on a GPU.
//!
//! Samples go to the device, clusters come back: those of each row are first collected in a bucket,
//! and then packed. Variants have the stages of the published ones, fragment by fragment over maps
//! of charges and peaks; they differ in how threads share the work of a stage.
//!
//! | module | holds |
//! |---|---|
//! | [`finding`] | thresholds and the format of clusters in kernels |
//! | [`input`] | samples and thresholds on the device |
//! | [`buckets`] | buckets of clusters, and their copy to the host |
//! | [`batches`] | fragments of sectors that are processed at once |
//! | [`fill`] | storage of samples in maps of charges |
//! | [`lists`] | lists of peaks, exchanged between stages |
//! | [`context`] | arguments of the stages, and launches of their kernels |
//! | [`stages`] | the stages, and their kernels by variant |
//! | [`compaction`] | algorithms that list marked entries |
//! | [`runner`] | finds clusters with the charges of some sectors |
//! | [`second_pass`] | labels of its clusters, collected on the host |
//! | [`fused`] | recobench's finder: strips of rows in shared memory, from samples to clusters and labels |
//! | [`cases`], [`found`] | its sectors on the device, and its list of clusters |
//!
//! Kernels are in separate files, and their common parts in `finder/`; headers of `fused` are in
//! `fused/`. All include `finding.h`.

mod batches;
mod buckets;
mod cases;
mod compaction;
mod context;
mod fill;
mod finding;
mod found;
mod fused;
mod input;
mod lists;
mod runner;
mod second_pass;
mod stages;
#[cfg(test)]
mod tests;

use super::TpcClusterFinder;
pub(crate) use batches::{Batch, SECTORS_AT_ONCE};
pub(crate) use buckets::Buckets;
pub(crate) use cases::sector;
pub(crate) use compaction::Compaction;
pub(crate) use context::{BatchContext, Samples};
pub(crate) use finding::{WORDS_OF_ROW, WORDS_OF_SECTOR};
pub(crate) use found::{HostCapacity, HostClusters};
pub(crate) use fused::{BINNED, Bins, Sizes, words_of};
pub(crate) use input::Tables;
pub(crate) use lists::Lists;
pub(crate) use stages::{PUBLISHED as PUBLISHED_STAGES, Stages};
use tasks::algorithm::Variant;

const NAIVE: Variant<TpcClusterFinder> = Variant::cuda(
    "naive",
    "ours: a thread a sample or a peak for each stage, which reads the maps by itself",
    |at| runner::find_on_gpu(at, &stages::NAIVE),
);

const PUBLISHED: Variant<TpcClusterFinder> = Variant::cuda(
    "published",
    "published: blocks load what is around their samples together; lists compacted by scans",
    |at| runner::find_on_gpu(at, &stages::PUBLISHED),
);

pub(super) const VARIANTS: &[Variant<TpcClusterFinder>] =
    &[NAIVE.by_published_rules(), PUBLISHED.by_published_rules(), fused::FUSED];
