//! Each thread has as many pieces: simple, but pieces differ in length.

use generators::tpc::clusters::FIELDS;
use rayon::prelude::*;

use super::copy_part;
use crate::tpc_gather::packing::{Packing, Part};

pub(super) fn gather(packing: &Packing<'_>, output: &mut [u8]) {
    let threads = rayon::current_num_threads();
    let parts = (0..FIELDS.len()).flat_map(|field| parts_of(packing, field, threads));
    let parts = packing.hand_out(parts.collect(), output);
    let parts = parts.into_par_iter().with_max_len(1);
    parts.for_each(|(part, to)| copy_part(packing.array(part.field), &part, to));
}

/// A part of an array for each thread.
fn parts_of(packing: &Packing<'_>, field: usize, threads: usize) -> impl Iterator<Item = Part> {
    let array = packing.array(field);
    let bound = move |thread| array.place(thread * array.pieces() / threads);
    (0..threads).map(move |thread| Part {
        field,
        bytes: bound(thread)..bound(thread + 1),
    })
}
