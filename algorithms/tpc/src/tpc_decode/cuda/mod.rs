//! Decoding on a GPU.
//!
//! Pages are copied to the device unchanged. They are validated there, offsets are assigned to
//! their samples, and decoders that trust the validation write the samples. These are the three
//! stages of every variant; variants differ in the last one.
//!
//! | module | holds |
//! |---|---|
//! | [`division`] | division of the work |
//! | [`parts`] | pages that are decoded together, and the sizes that their headers announce |
//! | [`tables`] | tables that are the same for all time frames |
//! | [`resident`] | the pages on the device |
//! | [`validation`], [`job_offsets`], [`prepare`] | the first two stages, and both in order |
//! | [`target`], [`tile_buffers`], [`tiles`] | the output; maps in complete tiles |
//! | [`context`] | arguments of decoders |
//! | [`published`], [`fused`] | launches of the decoders' kernels |
//! | [`runner`] | decodes the pages of a time frame |

mod context;
mod division;
mod fused;
mod job_offsets;
mod parts;
mod prepare;
mod published;
mod resident;
mod runner;
mod tables;
mod target;
#[cfg(test)]
mod tests;
mod tile_buffers;
mod tiles;
mod validation;

use super::TpcDecode;
pub(crate) use context::{DecoderConfig, FragmentContext};
pub(crate) use division::Division;
pub(crate) use fused::CONFIG as FUSED_CONFIG;
pub(crate) use parts::{Part, PromisedFragment, parts_of};
pub(crate) use published::BALLOT_CONFIG;
pub(crate) use resident::{PageBuffers, Resident};
pub(crate) use runner::fit;
pub(crate) use tables::DeviceTables;
pub(crate) use target::Target;
use tasks::algorithm::Variant;

/// Variants whose kernels also exist as shaders.
pub(super) const AS_SHADERS: &[Variant<TpcDecode>] =
    &[published::BALLOT_SCAN_SHADERS, fused::FUSED_SHADERS];

pub(super) const VARIANTS: &[Variant<TpcDecode>] =
    &[published::SHUFFLE_SCAN, published::BALLOT_SCAN, fused::FUSED, fused::FUSED_OVERLAPPED];
