//! Finding noisy pads on the host: strips of pads in parallel.
//!
//! | module | holds |
//! |---|---|
//! | `strips` | groups of pads that are one thread's work |
//! | `scalar`, `simd` | going over the tiles of a strip |

mod scalar;
mod simd;
mod strips;

use std::borrow::Cow;

use rayon::prelude::*;

use super::TpcNoisyPads;
use super::activity::PadActivity;
use super::input::ChargeMaps;
use crate::algorithm::{Runner, Variant};
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec};
use strips::{PadState, Strip, Tile};

/// Goes over the tiles of a strip in one row of tiles: a state for each tile's pads.
type Advance = fn(&mut [PadState], &[Tile]);

pub(super) const VARIANTS: &[Variant<TpcNoisyPads>] = &[
    Variant::cpu(
        "scalar",
        "charge by charge, in the order of the map",
        |at| at.session(Strips::new(at.input, at.arena, scalar::advance)),
    ),
    Variant::cpu(
        "simd",
        "the pads of four tiles at once with AVX-512, of two with AVX2, of one without",
        |at| at.session(Strips::new(at.input, at.arena, simd::best())),
    ),
];

struct Strips<'a> {
    maps: &'a ChargeMaps,
    arena: &'a Arena,
    strips: Vec<Strip>,
    advance: Advance,
}

impl<'a> Strips<'a> {
    fn new(maps: &'a ChargeMaps, arena: &'a Arena, advance: Advance) -> Self {
        Strips {
            maps,
            arena,
            strips: strips::of(maps.sectors()),
            advance,
        }
    }
}

impl<'a> Runner<TpcNoisyPads> for Strips<'a> {
    type Buffers = ArenaVec<'a, PadActivity>;

    fn allocate(&self) -> Result<Self::Buffers, DeviceError> {
        Ok(self.arena.vector(self.maps.pads()))
    }

    fn run(&mut self, activity: &mut Self::Buffers) -> Result<(), DeviceError> {
        let mut rest = activity.as_mut_slice();
        let mut parts = Vec::with_capacity(self.strips.len());
        for strip in &self.strips {
            let (part, behind) = rest.split_at_mut(strip.pads());
            parts.push((strip, part));
            rest = behind;
        }
        let (maps, advance) = (self.maps, self.advance);
        parts.into_par_iter().for_each(|(strip, activity)| {
            strip.find(maps.map(strip.sector), maps.thresholds(), advance, activity);
        });
        Ok(())
    }

    fn output<'b>(&'b self, activity: &'b Self::Buffers) -> Cow<'b, Vec<PadActivity>> {
        Cow::Borrowed(activity)
    }

    fn input_bytes(&self) -> u64 {
        size_of_val(self.maps.entries()) as u64
    }
}
