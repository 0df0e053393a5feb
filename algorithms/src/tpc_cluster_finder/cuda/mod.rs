//! Finding clusters on a GPU.
//!
//! Samples go to the device, clusters come back: those of each row first lie in a bucket of their
//! own, and are then packed. Variants have the stages of the published ones, fragment by fragment
//! over maps of charges and peaks; they differ in how threads share the work of a stage.
//!
//! | module | holds |
//! |---|---|
//! | [`input`] | samples and thresholds on the device |
//! | [`buckets`] | where clusters go, and how they come back |
//! | [`batches`] | fragments of sectors that are worked on at once |
//! | [`lists`] | what stages leave for each other: maps, positions, peaks |
//! | [`stages`] | the stages, and what differs in them |
//! | [`compaction`] | how lists of what is marked are made |
//! | [`naive`], [`published`] | ways to do the stages |
//! | [`runner`] | a way to find clusters with the charges of some sectors |
//!
//! Kernels are in files of their own, and what they share in `finder/`.

mod batches;
mod buckets;
mod compaction;
mod input;
mod lists;
mod naive;
mod published;
mod runner;
mod stages;
#[cfg(test)]
mod tests;

use super::TpcClusterFinder;
use crate::algorithm::{Semantics, Variant};

pub(super) const VARIANTS: &[Variant<TpcClusterFinder>] = &[
    by_the_rules(naive::NAIVE),
    by_the_rules(published::PUBLISHED),
    by_the_rules(published::COMPACTION_ATOMIC),
    by_the_rules(published::COMPACTION_LOOKBACK),
];

/// All follow the rules of the experiment.
const fn by_the_rules(variant: Variant<TpcClusterFinder>) -> Variant<TpcClusterFinder> {
    variant.with_semantics(&[Semantics::Published], |_| Semantics::Published)
}
