//! Finding clusters on a GPU.
//!
//! Samples go to the device, clusters come back: those of each row first lie in a bucket of their
//! own, and are then packed. Variants have the stages of the published ones, fragment by fragment
//! over maps of charges and peaks; they differ in how threads share the work of a stage.
//!
//! | module | holds |
//! |---|---|
//! | [`finding`] | what clusters are found by, as all kernels have it |
//! | [`input`] | samples and thresholds on the device |
//! | [`buckets`] | where clusters go, and how they come back |
//! | [`batches`] | fragments of sectors that are worked on at once |
//! | [`fill`] | samples into maps of charges |
//! | [`lists`] | what stages leave for each other: peaks |
//! | [`stages`] | the stages, and what differs in them |
//! | [`compaction`] | how lists of what is marked are made |
//! | [`naive`], [`published`] | ways to do the stages |
//! | [`runner`] | a way to find clusters with the charges of some sectors |
//! | [`second_pass`] | labels of its clusters, collected on the host |
//! | [`fused`] | ours: strips of rows in shared memory, from samples to clusters and their labels |
//! | [`cases`], [`found`] | its sectors on the device, and its list of clusters |
//!
//! Kernels are in files of their own, and what they share in `finder/`; what those of `fused` have
//! is in `fused/`, `cases.h`, `cluster.h` and `found.h`. All have `finding.h`.

mod batches;
mod buckets;
mod cases;
mod compaction;
mod fill;
mod finding;
mod found;
mod fused;
mod input;
mod lists;
mod naive;
mod published;
mod runner;
mod second_pass;
mod stages;
#[cfg(test)]
mod tests;

use super::TpcClusterFinder;
use crate::algorithm::Variant;
pub(crate) use batches::{Batch, SECTORS_AT_ONCE};
pub(crate) use buckets::Buckets;
pub(crate) use cases::sector;
pub(crate) use compaction::Compaction;
pub(crate) use fill::Samples;
pub(crate) use finding::{WORDS_OF_ROW, WORDS_OF_SECTOR};
pub(crate) use found::{HostFound, HostRoom};
pub(crate) use fused::{BINNED, Bins, Sizes, words_of};
pub(crate) use input::Tables;
pub(crate) use lists::Lists;
pub(crate) use published::STAGES as PUBLISHED_STAGES;
pub(crate) use stages::{Stages, Work};

pub(super) const VARIANTS: &[Variant<TpcClusterFinder>] =
    &[naive::NAIVE.by_published_rules(), published::PUBLISHED.by_published_rules(), fused::FUSED];
