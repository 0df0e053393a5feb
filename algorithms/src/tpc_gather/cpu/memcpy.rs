//! A memcpy for each piece of each array: by one thread, or with each array divided among all
//! threads.

use generators::tpc::clusters::FIELDS;

use crate::parallel::for_each_dynamic;
use crate::tpc_gather::packing::{Array, Packing, Part};

/// Copies with one thread.
pub(super) fn naive(packing: &Packing<'_>, output: &mut [u8]) {
    let parts = parts_of(packing, 1, |array, parts| parts * array.packed_bytes());
    for (part, to) in packing.hand_out(parts, output) {
        copy(packing.array(part.field), &part, to);
    }
}

/// Each thread has an equal number of bytes of each array, regardless of the pieces.
pub(super) fn parallel_bytes(packing: &Packing<'_>, output: &mut [u8]) {
    let threads = rayon::current_num_threads();
    in_parallel(packing, output, |array, parts| parts * array.packed_bytes() / threads);
}

/// Each thread has an equal number of pieces: simple, but pieces differ in length.
pub(super) fn parallel_pieces(packing: &Packing<'_>, output: &mut [u8]) {
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
