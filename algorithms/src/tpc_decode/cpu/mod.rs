//! Decoding on the host.
//!
//! | module | holds |
//! |---|---|
//! | [`workers`] | the threads that share the work: a team, or nested teams |
//! | [`headers`] | first pass over headers: numbers of samples and their offsets |
//! | [`digits`] | variants that decode to digits |
//! | [`charges`] | variants that decode to maps of charges, which are cleared and filled |
//! | [`tiles`] | variants that write maps in complete tiles |
//! | [`walk`] | the walk through a page's payload, checked at each step |
//! | [`kernel`] | the inner loops, for each instruction set |
//! | [`levels`] | walk and kernel, compiled for an instruction set |

mod charges;
mod digits;
mod kernel;
mod levels;
#[cfg(test)]
mod tests;
mod tiles;
mod walk;
mod workers;

use generators::tpc::geometry::SECTORS;
use levels::{DecodePage, Level};
use tiles::TilesRunner;
use workers::DecodeWorkers;

use super::input::Output;
use super::{TpcDecode, reference};
use crate::algorithm::{PrepareResult, Variant, VariantContext};

pub(crate) use charges::{ChargesRunner, DecodedCharges};
pub(crate) use digits::{DecodedPages, DigitsRunner};

pub(super) const VARIANTS: &[Variant<TpcDecode>] = &[
    Variant::cpu(
        "reference",
        "page by page and sample by sample, each step checked where it is taken",
        |at| decode(at, one_team(at), reference_page),
    ),
    Variant::cpu("scalar", "without wide instructions, on any machine", |at| {
        decode(at, any_teams(at), Level::Scalar.decoder().unwrap_or(reference_page))
    })
    .nested(SECTORS),
    Variant::cpu(
        "simd",
        "pads and samples eight (AVX-512) or four (AVX2) at a time, as the machine can; whole \
         tiles of maps past the caches",
        simd,
    )
    .nested(SECTORS),
];

fn one_team(at: &VariantContext<'_, '_, TpcDecode>) -> DecodeWorkers {
    DecodeWorkers::for_one_team(at.input, at.threads())
}

/// Threads of the published decoder with nested teams: the outer team takes sectors, the inner ones
/// take pages.
fn any_teams(at: &VariantContext<'_, '_, TpcDecode>) -> DecodeWorkers {
    match at.inner_teams() {
        Some(inner) => DecodeWorkers::for_nested_teams(at.input, inner),
        None => one_team(at),
    }
}

fn simd<'a>(at: &VariantContext<'a, '_, TpcDecode>) -> PrepareResult<'a, TpcDecode> {
    let workers = any_teams(at);
    let decode = Level::best().decoder().unwrap_or(reference_page);
    match at.input.settings.output {
        Output::Digits => at.session(DigitsRunner::new(at.input, at.arena, workers, decode)),
        Output::ChargeMap => {
            at.session(TilesRunner::new(at.input, at.arena, workers, at.threads(), decode))
        }
    }
}

/// A decoder of pages, ready to run; maps are cleared and filled, as published.
fn decode<'a>(
    at: &VariantContext<'a, '_, TpcDecode>,
    workers: DecodeWorkers,
    decode: DecodePage,
) -> PrepareResult<'a, TpcDecode> {
    match at.input.settings.output {
        Output::Digits => at.session(DigitsRunner::new(at.input, at.arena, workers, decode)),
        Output::ChargeMap => at.session(ChargesRunner::new(at.input, at.arena, workers, decode)),
    }
}

/// The reference with the interface of the other decoders.
fn reference_page(job: walk::Job<'_>, digits: &mut [generators::tpc::Digit]) -> Option<()> {
    let decoded = reference::decode_page(job.page, job.payload, &job.tables.mapping).ok()?;
    digits.copy_from_slice(&decoded);
    Some(())
}
