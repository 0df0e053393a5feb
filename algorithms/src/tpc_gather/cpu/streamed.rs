//! Pieces go into a page that stays in the cache, by whole vectors; full pages go to
//! memory past the caches.
//!
//! Pieces are too short for a call each. As the next piece follows where this one ends,
//! the last vector may be written as a whole: what is too much is overwritten. And as a
//! page is written as a whole, its lines need not be read first, which an ordinary store
//! to memory would do: a third of all traffic.

use generators::tpc::clusters::FIELDS;
use rayon::prelude::*;

use super::vectors::{VECTOR, copy_vectors, fence, prefetch, stream};
use crate::tpc_gather::packing::{Array, Packing, Part, Piece};

/// Bytes of a part that a thread takes at a time.
const PART: usize = 1 << 20;
/// Bytes of a page, and of a cache line.
const PAGE: usize = 4096;
const LINE: usize = 64;
/// How many pieces ahead they are fetched, as the next one may lie anywhere; and how many
/// bytes of each, as the processor itself fetches the rest of a long one.
const AHEAD: usize = 24;
const FETCHED: usize = 12 * LINE;

pub(super) fn gather(packing: &Packing<'_>, output: &mut [u8]) {
    let parts = (0..FIELDS.len()).flat_map(|field| parts_of(packing, field));
    let parts = packing.hand_out(parts.collect(), output);
    let parts = parts.into_par_iter();
    parts.for_each(|(part, to)| pack(packing.array(part.field), &part, to));
}

fn parts_of(packing: &Packing<'_>, field: usize) -> impl Iterator<Item = Part> {
    let bytes = packing.array(field).packed_bytes();
    (0..bytes).step_by(PART).map(move |start| Part {
        field,
        bytes: start..bytes.min(start + PART),
    })
}

fn pack(array: Array<'_>, part: &Part, to: &mut [u8]) {
    let mut page = Page::new(to);
    let mut number = array.piece_at(part.bytes.start);
    while let Some(piece) = array.part_of(number, &part.bytes) {
        fetch(array, number + AHEAD);
        page.append(array.bytes(), piece.from.start, piece.from.len());
        number += 1;
    }
    fence();
}

/// Has the lines of a piece fetched, if there is one.
#[inline(always)]
fn fetch(array: Array<'_>, number: usize) {
    if number < array.pieces() {
        let Piece { from, .. } = array.piece(number);
        let mut line = from.start;
        while line < from.end.min(from.start + FETCHED) {
            prefetch(array.bytes(), line);
            line += LINE;
        }
        prefetch(array.bytes(), from.end);
    }
}

/// Bytes on their way, and where they go to.
struct Page<'o> {
    bytes: Lines,
    filled: usize,
    /// With so many bytes it is full.
    room: usize,
    to: &'o mut [u8],
}

/// A page, and a vector that is written beyond its end.
#[repr(align(64))]
struct Lines([u8; PAGE + VECTOR]);

impl<'o> Page<'o> {
    /// The first one ends where a cache line does, so that all others have whole ones.
    fn new(to: &'o mut [u8]) -> Self {
        let first = match to.as_ptr().align_offset(LINE) {
            0 => PAGE,
            head => head,
        };
        Page {
            bytes: Lines([0; PAGE + VECTOR]),
            filled: 0,
            room: first.min(to.len()),
            to,
        }
    }

    /// Appends bytes, behind which there is a vector at least.
    #[inline]
    fn append(&mut self, from: &[u8], mut start: usize, mut length: usize) {
        while length > 0 {
            let fitting = length.min(self.room - self.filled);
            copy_vectors(&mut self.bytes.0[self.filled..], &from[start..], fitting);
            self.filled += fitting;
            if self.filled == self.room {
                self.leave();
            }
            start += fitting;
            length -= fitting;
        }
    }

    /// The page goes to memory; the next one is as large as there is something left.
    fn leave(&mut self) {
        let (now, later) = std::mem::take(&mut self.to).split_at_mut(self.filled);
        stream(now, &self.bytes.0[..self.filled]);
        self.filled = 0;
        self.room = PAGE.min(later.len());
        self.to = later;
    }
}
