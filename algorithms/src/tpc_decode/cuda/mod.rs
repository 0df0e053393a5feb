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
//! | [`prepared`] | a variant that is ready to run |

mod fused;
mod judgement;
mod parts;
mod placing;
mod prepared;
mod published;
mod resident;
mod tables;
mod target;
#[cfg(test)]
mod tests;
mod validation;

use super::TpcDecode;
use super::input::TimeFrame;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::gpu::{DeviceError, Gpu, Ptr};
use crate::device::{Arena, Backend, Place};
use parts::Part;
use prepared::PreparedCudaDecode;
use resident::Resident;
use target::Target;

pub(super) use fused::{FUSED, FUSED_OVERLAPPED};
pub(super) use published::{BALLOT_SCAN, SHUFFLE_SCAN};

/// A pointer to bytes of pages.
type Bytes = Ptr<u8>;
/// A pointer to counts and places.
type Words = Ptr<u32>;
/// A pointer to pairs of them.
type Pairs = Ptr<[u32; 2]>;
/// A pointer to what is known of pages: `PageRecord`.
type Records = Ptr<Record>;
/// The size of a `PageRecord`.
type Record = [u32; 8];
/// A pointer to fragments: `Fragment`.
type Fragments = Ptr<[u32; 4]>;

/// A way to decode pages on a GPU.
pub(super) struct CudaDecode {
    name: &'static str,
    summary: &'static str,
    division: Division,
    index: Index,
    decode: Decode,
}

/// How pages are decoded, whatever is decoded together.
#[derive(Clone, Copy)]
struct Way {
    index: Index,
    decode: Decode,
}

/// Decodes the pages that a fragment, by its place in the list of fragments, wants.
type Decode = fn(&Gpu, &Resident<'_>, &Target, usize) -> Result<(), DeviceError>;

/// What is decoded together.
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

/// Samples and pages are counted with 32 bits on the device.
fn accept(parts: &[Part]) -> Result<(), Unavailable> {
    let most = u64::from(u32::MAX);
    let samples = parts.iter().map(Part::samples).max().unwrap_or(0);
    if samples <= most {
        return Ok(());
    }
    Err(Unavailable(format!(
        "{samples} samples; on a GPU {most} is the most; use fewer sectors or orbits"
    )))
}

impl Variant<TpcDecode> for CudaDecode {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cuda
    }

    /// Sectors that are decoded apart have their positions apart, whatever the fragment.
    fn stable(&self) -> bool {
        self.division == Division::Whole
    }

    fn prepare<'a>(
        &self,
        frame: &'a TimeFrame,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<TpcDecode> + 'a>, Unavailable> {
        let parts = parts::of(frame, self.division);
        accept(&parts)?;
        let gpu = place.required_gpu()?;
        let way = Way {
            index: self.index,
            decode: self.decode,
        };
        let prepared = PreparedCudaDecode::new(way, (frame, arena), parts, gpu);
        Ok(Box::new(prepared))
    }
}
