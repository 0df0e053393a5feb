//! A memcpy for each piece of each array, by one thread or by all.

use generators::tpc::clusters::FIELDS;
use rayon::prelude::*;

use crate::tpc_gather::packing::{Array, Packing, Part};

/// Array by array, one thread.
pub(super) fn naive(packing: &Packing<'_>, output: &mut [u8]) {
    let parts = parts(packing, 1, |array, [thread, _]| {
        thread * array.packed_bytes()
    });
    for (part, to) in packing.hand_out(parts, output) {
        copy_part(packing.array(part.field), &part, to);
    }
}

/// Each thread has as many pieces: simple, but pieces differ in length.
pub(super) fn parallel_pieces(packing: &Packing<'_>, output: &mut [u8]) {
    by_all_threads(packing, output, |array, [thread, threads]| {
        array.place(thread * array.pieces() / threads)
    });
}

/// Each thread has as many bytes of each array, whatever pieces they are of.
pub(super) fn parallel_bytes(packing: &Packing<'_>, output: &mut [u8]) {
    by_all_threads(packing, output, |array, [thread, threads]| {
        thread * array.packed_bytes() / threads
    });
}

/// A part of each array for each thread: `bound` says where that of a thread begins.
fn by_all_threads(
    packing: &Packing<'_>,
    output: &mut [u8],
    bound: impl Fn(Array<'_>, [usize; 2]) -> usize,
) {
    let parts = parts(packing, rayon::current_num_threads(), bound);
    let parts = packing.hand_out(parts, output).into_par_iter();
    let parts = parts.with_max_len(1);
    parts.for_each(|(part, to)| copy_part(packing.array(part.field), &part, to));
}

/// So many parts of each array.
fn parts(
    packing: &Packing<'_>,
    threads: usize,
    bound: impl Fn(Array<'_>, [usize; 2]) -> usize,
) -> Vec<Part> {
    let of_array = |field| {
        let at = |thread| bound(packing.array(field), [thread, threads]);
        let part = move |thread| Part {
            field,
            bytes: at(thread)..at(thread + 1),
        };
        (0..threads).map(part).collect::<Vec<_>>()
    };
    (0..FIELDS.len()).flat_map(of_array).collect()
}

/// Copies what of the pieces goes to a part, by a memcpy each.
fn copy_part(array: Array<'_>, part: &Part, to: &mut [u8]) {
    for piece in array.within(part.bytes.clone()) {
        let length = piece.from.len();
        to[piece.to..piece.to + length].copy_from_slice(&array.bytes()[piece.from]);
    }
}
