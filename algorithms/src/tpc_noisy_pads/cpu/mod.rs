//! Finding noisy pads on the host: strips of pads in parallel.
//!
//! | module | holds |
//! |---|---|
//! | `strips` | groups of pads that one thread processes |
//! | `pad_state` | the state of the pads of a tile, updated charge by charge |
//! | `simd` | updates of many pads at once |

mod pad_state;
mod simd;
mod strips;

use super::TpcNoisyPads;
use crate::algorithm::{PrepareResult, Variant, VariantContext};
use crate::all_cores::split_mut;
use crate::parallel::for_each;
use pad_state::Advance;

pub(super) const VARIANTS: &[Variant<TpcNoisyPads>] = &[
    Variant::cpu("scalar", "charge by charge, in the order of the map", |at| {
        strips(at, pad_state::advance)
    }),
    Variant::cpu(
        "simd",
        "the pads of four tiles at once with AVX-512, of two with AVX2, of one without",
        |at| strips(at, simd::best()),
    ),
];

fn strips<'a>(
    at: &VariantContext<'a, '_, TpcNoisyPads>,
    advance: Advance,
) -> PrepareResult<'a, TpcNoisyPads> {
    let maps = at.input;
    let strips = strips::for_sectors(at.input.sectors());
    at.fill_output(maps.pads(), size_of_val(maps.entries()), move |activity| {
        let parts = split_mut(activity, strips.iter().map(|strip| strip.pads()));
        for_each(parts.into_iter().zip(&strips), |(activity, strip)| {
            strip.find(maps.map(strip.sector), maps.thresholds(), advance, activity);
        });
    })
}
