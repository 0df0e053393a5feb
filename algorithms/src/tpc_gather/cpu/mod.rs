//! Gathering in the host's memory.
//!
//! | module | holds |
//! |---|---|
//! | `memcpy`, `streamed` | the variants |
//! | `vectors`, `masked` | copies by whole vectors; by masked ones |

#[cfg(target_arch = "x86_64")]
mod masked;
mod memcpy;
mod streamed;
mod vectors;

use std::borrow::Cow;

use generators::tpc::clusters::{Clusters, Layout};

use super::TpcGather;
use super::packed::{Packed, blocks};
use super::packing::Packing;
use crate::algorithm::{PrepareResult, Runner, Variant, VariantContext};
use crate::all_cores::fill;
use crate::device::gpu::{DeviceError, POISON};
use crate::device::{Arena, ArenaVec, Buffers};

pub(super) const VARIANTS: &[Variant<TpcGather>] = &[
    Variant::cpu("naive", "a memcpy a piece and array, one thread", |at| {
        on_host(at, memcpy::naive)
    }),
    Variant::cpu(
        "parallel-pieces",
        "a memcpy a piece and array, the same number of pieces for each thread",
        |at| on_host(at, memcpy::parallel_pieces),
    ),
    Variant::cpu(
        "parallel-bytes",
        "a memcpy a piece and array, the same number of bytes for each thread",
        |at| on_host(at, memcpy::parallel_bytes),
    ),
    Variant::cpu(
        "streamed",
        "ours: pieces by whole vectors into a cached page, and that past the caches",
        |at| on_host(at, streamed::gather),
    ),
];

/// Copies all pieces to the packed arrays.
type Gather = fn(&Packing<'_>, &mut [u8]);

/// Gathers an input.
struct GatherRunner<'a> {
    gather: Gather,
    input: &'a Clusters,
    arena: &'a Arena,
}

struct GatherBuffers<'a> {
    output: Packed,
    /// The offsets of tracks and rows.
    offsets: [ArenaVec<'a, u32>; 2],
    arena: &'a Arena,
}

fn on_host<'a>(
    at: &VariantContext<'a, '_, TpcGather>,
    gather: Gather,
) -> PrepareResult<'a, TpcGather> {
    at.session(GatherRunner { gather, input: at.input, arena: at.arena })
}

impl Drop for GatherBuffers<'_> {
    fn drop(&mut self) {
        let output = std::mem::replace(&mut self.output, Packed::from_blocks(Vec::new()));
        self.arena.give(output.into_blocks());
    }
}

impl Buffers for GatherBuffers<'_> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        fill(self.output.bytes_mut(), POISON);
        self.offsets.poison()
    }

    fn bytes(&self) -> u64 {
        self.output.bytes().len() as u64 + self.offsets.bytes()
    }
}

impl<'a> Runner<TpcGather> for GatherRunner<'a> {
    type Buffers = GatherBuffers<'a>;

    fn allocate(&self) -> Result<GatherBuffers<'a>, DeviceError> {
        let input = self.input;
        let arena = self.arena;
        let layout = Layout::new(&input.packed());
        Ok(GatherBuffers {
            output: Packed::from_blocks(arena.take(blocks(&layout))),
            offsets: [input.tracks(), input.rows()].map(|pieces| arena.vector(pieces.len() + 1)),
            arena,
        })
    }

    fn run(&mut self, buffers: &mut GatherBuffers<'a>) -> Result<(), DeviceError> {
        let [tracks, rows] =
            buffers.offsets.each_mut().map(|offsets| std::mem::take(&mut **offsets));
        let packing = Packing::new(self.input, tracks, rows);
        (self.gather)(&packing, buffers.output.bytes_mut());
        for (buffer, vector) in buffers.offsets.iter_mut().zip(packing.into_vectors()) {
            **buffer = vector;
        }
        Ok(())
    }

    fn output<'b>(&'b self, buffers: &'b GatherBuffers<'a>) -> Cow<'b, Packed> {
        Cow::Borrowed(&buffers.output)
    }

    fn input_bytes(&self) -> u64 {
        let pieces = self.input.tracks().len() + self.input.rows().len() + 2;
        let starts_and_counts = 2 * pieces * size_of::<u32>();
        (self.input.bytes().len() + starts_and_counts) as u64
    }
}
