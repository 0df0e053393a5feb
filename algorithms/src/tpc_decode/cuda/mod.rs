//! Decoding on a GPU.
//!
//! Pages go to the device as they are. They are validated there, their samples get
//! places, and decoders that trust what was validated fill them. The three are stages
//! of every variant; variants differ in the last one.
//!
//! | module | holds |
//! |---|---|
//! | [`division`] | what is decoded together |
//! | [`parts`] | which pages are decoded together, and what their headers promise |
//! | [`tables`] | what does not change from one time frame to the next |
//! | [`resident`] | the pages on the device |
//! | [`validation`], [`placing`] | the first two stages |
//! | [`target`], [`tiles`] | what comes out; maps of it by whole tiles |
//! | [`work`] | what decoders are given |
//! | [`published`], [`fused`] | decoders beside their kernels |
//! | [`runner`] | a way to decode with the pages of a time frame |

mod division;
mod fused;
mod parts;
mod placing;
mod published;
mod resident;
mod runner;
mod tables;
mod target;
#[cfg(test)]
mod tests;
mod tiles;
mod validation;
mod work;

use super::TpcDecode;
use crate::algorithm::Variant;
pub(crate) use division::Division;
pub(crate) use fused::WAY as FUSED_WAY;
pub(crate) use parts::{Part, PromisedFragment, of as parts_of};
pub(crate) use published::BALLOT_WAY;
pub(crate) use resident::{PageBuffers, Resident};
pub(crate) use runner::fit;
pub(crate) use tables::DeviceTables;
pub(crate) use target::Target;
pub(crate) use work::{Way, Work};

/// Those whose kernels are shaders too.
pub(super) const AS_SHADERS: &[Variant<TpcDecode>] =
    &[published::BALLOT_SCAN_SHADERS, fused::FUSED_SHADERS];

pub(super) const VARIANTS: &[Variant<TpcDecode>] =
    &[published::SHUFFLE_SCAN, published::BALLOT_SCAN, fused::FUSED, fused::FUSED_OVERLAPPED];
