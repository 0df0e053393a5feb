//! The chain on a GPU: pages go to the device, clusters come back, and nothing else.
//!
//! | module | holds |
//! |---|---|
//! | [`maps`] | by way of maps of charges, as published, some sectors at a time |
//! | [`jobs`] | its fragments of sectors, and where their samples are |
//! | [`fused`] | ours: digits to bins by row and time, and clusters from these |
//! | [`noisy`] | which pads are noisy, for both |

mod fused;
mod jobs;
mod maps;
mod noisy;

use super::Tpc;
use crate::algorithm::Variant;

pub(super) const VARIANTS: &[Variant<Tpc>] = &[maps::PUBLISHED, maps::AT_ONCE, fused::FUSED];
