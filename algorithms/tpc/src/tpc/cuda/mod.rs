//! The chain on a GPU: pages are copied to the device, clusters are copied back; intermediate
//! results stay there.
//!
//! | module | holds |
//! |---|---|
//! | [`maps`] | through maps of charges, as published, some sectors at a time |
//! | [`jobs`] | its fragments of sectors, and the ranges of their samples |
//! | [`fused`] | recobench's chain: digits to bins by row and time, and clusters from these |
//! | [`noisy`] | search for noisy pads, for both |

mod fused;
mod jobs;
mod maps;
mod noisy;

use super::Tpc;
use tasks::algorithm::Variant;

pub(super) const VARIANTS: &[Variant<Tpc>] = &[maps::PUBLISHED, maps::AT_ONCE, fused::FUSED];
