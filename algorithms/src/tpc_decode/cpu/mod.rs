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
//! | [`levels`] | both joined, and compiled for such a set |

mod charges;
mod digits;
mod headers;
mod kernel;
mod levels;
mod page_decoder;
mod tasks;
#[cfg(test)]
mod tests;
mod walk;

use super::TpcDecode;
use super::input::Output;
use super::reference;
use crate::algorithm::{Opened, Opening, Variant};
use charges::ChargesOf;
use digits::DigitsOf;
use levels::{DecodePage, Level};

pub(super) const VARIANTS: &[Variant<TpcDecode>] = &[
    Variant::cpu(
        "reference",
        "page by page and sample by sample, each step checked where it is taken",
        |at| decode(at, reference_page),
    ),
    Variant::cpu("scalar", "without wide instructions, on any machine", |at| {
        decode(at, Level::Scalar.decoder().unwrap_or(reference_page))
    }),
    Variant::cpu(
        "simd",
        "pads and samples eight (AVX-512) or four (AVX2) at a time, as the machine can",
        |at| decode(at, Level::best().decoder().unwrap_or(reference_page)),
    ),
];

/// A decoder of pages, ready to run.
fn decode<'a>(at: &Opening<'a, '_, TpcDecode>, decode: DecodePage) -> Opened<'a, TpcDecode> {
    let (frame, tasks) = (at.input, tasks::of(at.input, at.threads()));
    match frame.settings.output {
        Output::Digits => at.session(DigitsOf::new(frame, at.arena, tasks, decode)),
        Output::ChargeMap => at.session(ChargesOf::new(frame, at.arena, tasks, decode)),
    }
}

/// The reference in the form of the other decoders.
fn reference_page(job: walk::Job<'_>, digits: &mut [generators::tpc::Digit]) -> Option<()> {
    let decoded = reference::decode_page(job.page, job.payload, &job.tables.mapping).ok()?;
    digits.copy_from_slice(&decoded);
    Some(())
}
