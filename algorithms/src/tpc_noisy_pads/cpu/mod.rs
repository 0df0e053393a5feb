//! Finding noisy pads on the host.
//!
//! | module | holds |
//! |---|---|
//! | `strips` | groups of pads that are one thread's work |
//! | `prepared` | a variant that is ready to run |
//! | `scalar`, `simd` | going over the tiles of a strip |

mod prepared;
mod scalar;
mod simd;
mod strips;

use super::TpcNoisyPads;
use super::input::ChargeMaps;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::{Arena, Backend, Place};
use prepared::PreparedStrips;
use strips::{PadState, Tile};

/// Goes over the tiles of a strip in one row of tiles: a state for each tile's pads.
type Advance = fn(&mut [PadState], &[Tile]);

/// A way to find noisy pads.
pub(super) struct CpuNoisyPads {
    name: &'static str,
    summary: &'static str,
    /// What it does on this machine.
    advance: fn() -> Advance,
}

pub(super) static SCALAR: CpuNoisyPads = CpuNoisyPads {
    name: "scalar",
    summary: "charge by charge, in the order of the map",
    advance: || scalar::advance,
};

pub(super) static SIMD: CpuNoisyPads = CpuNoisyPads {
    name: "simd",
    summary: "the pads of four tiles at once with AVX-512, of two with AVX2, of one without",
    advance: simd::best,
};

impl Variant<TpcNoisyPads> for CpuNoisyPads {
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
        maps: &'a ChargeMaps,
        arena: &'a Arena,
        _: &Place<'_>,
    ) -> Result<Box<dyn Prepared<TpcNoisyPads> + 'a>, Unavailable> {
        Ok(Box::new(PreparedStrips::new(maps, arena, (self.advance)())))
    }
}
