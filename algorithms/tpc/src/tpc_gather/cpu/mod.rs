//! Gathering in the host's memory: by `memcpy` piece for piece, or streamed.

#[cfg(target_arch = "x86_64")]
mod masked;
mod streamed;
mod vectors;

use std::borrow::Cow;

use generators_tpc::clusters::{Clusters, FIELDS, Layout};
use parallel::{fill, for_each_dynamic};
use portable_gpu::{DeviceError, POISON};

use super::TpcGather;
use super::packed::{Packed, blocks};
use super::packing::{Array, Packing, Part};
use tasks::algorithm::{PrepareResult, Runner, Variant, VariantContext};
use tasks::device::{Arena, ArenaVec, Buffers};

pub(super) const VARIANTS: &[Variant<TpcGather>] = &[
    Variant::cpu("naive", "a memcpy a piece and array, one thread", |at| on_host(at, naive)),
    Variant::cpu(
        "parallel-pieces",
        "a memcpy a piece and array, the same number of pieces for each thread",
        |at| on_host(at, parallel_pieces),
    ),
    Variant::cpu(
        "parallel-bytes",
        "a memcpy a piece and array, the same number of bytes for each thread",
        |at| on_host(at, parallel_bytes),
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

/// Copies with one thread.
fn naive(packing: &Packing<'_>, output: &mut [u8]) {
    let parts = parts_of(packing, 1, |array, parts| parts * array.packed_bytes());
    for (part, to) in packing.hand_out(parts, output) {
        copy(packing.array(part.field), &part, to);
    }
}

/// Each thread has an equal number of bytes of each array, regardless of the pieces.
fn parallel_bytes(packing: &Packing<'_>, output: &mut [u8]) {
    let threads = rayon::current_num_threads();
    in_parallel(packing, output, |array, parts| parts * array.packed_bytes() / threads);
}

/// Each thread has an equal number of pieces: simple, but pieces differ in length.
fn parallel_pieces(packing: &Packing<'_>, output: &mut [u8]) {
    let threads = rayon::current_num_threads();
    in_parallel(packing, output, |array, parts| array.offset(parts * array.pieces() / threads));
}

/// Divides each array among all threads; `end(array, n)` is the end of the first `n` parts.
fn in_parallel(packing: &Packing<'_>, output: &mut [u8], end: impl Fn(Array<'_>, usize) -> usize) {
    let parts = parts_of(packing, rayon::current_num_threads(), end);
    let parts = packing.hand_out(parts, output);
    for_each_dynamic(parts, |(part, to)| copy(packing.array(part.field), &part, to));
}

fn parts_of(
    packing: &Packing<'_>,
    count: usize,
    end: impl Fn(Array<'_>, usize) -> usize,
) -> Vec<Part> {
    let mut parts = Vec::with_capacity(FIELDS.len() * count);
    for field in 0..FIELDS.len() {
        let end = |parts| end(packing.array(field), parts);
        parts.extend((0..count).map(|part| Part { field, bytes: end(part)..end(part + 1) }));
    }
    parts
}

/// Copies the pieces of a part, with a memcpy for each.
fn copy(array: Array<'_>, part: &Part, to: &mut [u8]) {
    for piece in array.within(part.bytes.clone()) {
        let length = piece.from.len();
        to[piece.to..piece.to + length].copy_from_slice(&array.bytes()[piece.from]);
    }
}
