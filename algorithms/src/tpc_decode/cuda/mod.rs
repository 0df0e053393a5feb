//! Decoding on a GPU.
//!
//! Pages go to the device as they are. They are validated there, their samples get
//! places, and decoders that trust what was validated fill them. The three are stages
//! of every variant; variants differ in the last one.
//!
//! | module | holds |
//! |---|---|
//! | [`parts`] | which pages are decoded together, and what their headers promise |
//! | [`tables`] | what does not change from one time frame to the next |
//! | [`resident`] | the pages on the device |
//! | [`validation`], [`placing`] | the first two stages |
//! | [`target`] | what comes out |
//! | [`published`], [`fused`] | decoders beside their kernels |
//! | [`judgement`] | words for the pages that were rejected |
//! | [`runner`] | a way to decode with the pages of a time frame |

mod fused;
mod judgement;
mod parts;
mod placing;
mod published;
mod resident;
mod runner;
mod tables;
mod target;
#[cfg(test)]
mod tests;
mod validation;

use super::TpcDecode;
use crate::algorithm::Variant;
use crate::device::gpu::{DeviceError, Gpu};
use resident::Resident;
use target::Target;

pub(super) const VARIANTS: &[Variant<TpcDecode>] = &[
    published::SHUFFLE_SCAN,
    published::BALLOT_SCAN,
    fused::FUSED,
    fused::FUSED_OVERLAPPED,
];

/// How pages are decoded, whatever is decoded together.
#[derive(Clone, Copy)]
struct Way {
    index: Index,
    decode: Decode,
}

/// Decodes the pages that a fragment, by its place in the list of fragments, wants.
type Decode = fn(&Gpu, &Resident<'_>, &Target, usize) -> Result<(), DeviceError>;

/// What is decoded together. Sectors that are decoded apart have their positions apart, so a
/// variant that does so may order them as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Division {
    /// All pages: they are copied, then decoded, then what comes out is copied back.
    Whole,
    /// Those of a sector, while those of others are copied.
    Sectors,
}

/// Whether validation writes down where the blocks of pages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Index {
    /// The decoder goes through a page from its beginning.
    Unused,
    /// The decoder begins anywhere.
    Written,
}
