//! Decoding on the host.
//!
//! | module | holds |
//! |---|---|
//! | [`tasks`] | which pages are one thread's work |
//! | [`headers`] | headers first: how many samples there will be, and where they go |
//! | [`page_decoder`] | one page after the other |
//! | [`digits`], [`charges`] | a variant that is ready to run, for each output |
//! | [`walk`] | the way through a page's payload, checked at each step |
//! | [`kernel`] | the inner work, for each set of instructions |

mod charges;
mod digits;
mod headers;
mod kernel;
mod page_decoder;
mod tasks;
#[cfg(test)]
mod tests;
mod walk;

use super::TpcDecode;
use super::input::{Output, TimeFrame};
use super::reference;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::{Arena, Backend, Place};
use charges::PreparedCharges;
use digits::PreparedDigits;
use kernel::{DecodePage, Level};

/// A way to decode pages.
pub(super) struct CpuDecode {
    name: &'static str,
    summary: &'static str,
    /// Its decoder on this machine.
    decoder: fn() -> DecodePage,
}

pub(super) static REFERENCE: CpuDecode = CpuDecode {
    name: "reference",
    summary: "page by page and sample by sample, each step checked where it is taken",
    decoder: || reference_page,
};

pub(super) static SCALAR: CpuDecode = CpuDecode {
    name: "scalar",
    summary: "without wide instructions, on any machine",
    decoder: || Level::Scalar.decoder().unwrap_or(reference_page),
};

pub(super) static SIMD: CpuDecode = CpuDecode {
    name: "simd",
    summary: "pads and samples eight (AVX-512) or four (AVX2) at a time, as the machine can",
    decoder: || Level::best().decoder().unwrap_or(reference_page),
};

/// The reference in the form of the other decoders.
fn reference_page(job: walk::Job<'_>, digits: &mut [generators::tpc::Digit]) -> Option<()> {
    let decoded = reference::decode_page(job.page, job.payload, &job.tables.mapping).ok()?;
    digits.copy_from_slice(&decoded);
    Some(())
}

impl Variant<TpcDecode> for CpuDecode {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    fn stable(&self) -> bool {
        true
    }

    fn prepare<'a>(
        &self,
        frame: &'a TimeFrame,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<TpcDecode> + 'a>, Unavailable> {
        let tasks = tasks::of(frame, place.team.threads());
        let decode = (self.decoder)();
        Ok(match frame.settings.output {
            Output::Digits => Box::new(PreparedDigits::new(frame, arena, tasks, decode)),
            Output::ChargeMap => Box::new(PreparedCharges::new(frame, arena, tasks, decode)),
        })
    }
}
