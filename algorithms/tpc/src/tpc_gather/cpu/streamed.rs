//! Pieces are copied to a page that stays in the cache, by whole vectors; full pages are written to
//! memory with streaming stores.
//!
//! Pieces are too short for a call of memcpy each. As the next piece follows where this one ends,
//! the last vector may be written as a whole: excess bytes are overwritten. The end of the loop
//! over vectors, which depends on the length of the piece, would be mispredicted: with AVX-512 the
//! number of vectors that most pieces need is copied of each piece, those beyond its end with an
//! empty mask. (With long pieces, the additional empty vectors would cost more than a
//! misprediction.) And as a page is written completely, its lines need not be read first, which an
//! ordinary store to memory would do: a third of all traffic.
//!
//! Consecutive pieces are scattered over some megabytes. If these fit into the last-level cache,
//! they are read sequentially before the first piece is moved: in that order the hardware
//! prefetcher fetches ahead, more lines at a time than software prefetches can have in flight, and
//! pieces come from the cache then. With many threads the ranges don't fit, and it is not needed:
//! together they have enough loads in flight. On AMD's processors (Zen 5) this saves a third of the
//! time, on Intel's Xeon, whose last-level cache is slower, it adds a tenth, and is not done.

use std::ops::Range;

use generators_tpc::clusters::FIELDS;
use parallel::for_each;
use parallel::prefetch::prefetch_to_second;

use super::vectors::{Copier, LINE, SLACK, VECTOR, copy_vectors, lines_of};
use crate::tpc_gather::packing::{Array, Packing, Part};
use tasks::device::{Stores, is_amd, streaming};

#[cfg(target_arch = "x86_64")]
use super::masked::{Masked, MaskedByLength};
#[cfg(target_arch = "x86_64")]
use tasks::device::cpu_features::Avx512BwBmi2;

/// Bytes of the last-level cache that all threads together may use for reading ahead.
const NEAR: usize = 32 << 20;
/// Maximum number of threads that read ahead: more threads have enough loads in flight.
const FEW_THREADS: usize = 4;
/// Minimum bytes of a part that a thread takes at a time; larger if its share of the cache is.
const PART: usize = 1 << 20;
/// Pieces that are read ahead together.
const BLOCK: usize = 1 << 15;
/// Bytes of a page.
const PAGE: usize = 4096;
/// Number of pieces that are prefetched ahead, as the next one may be anywhere.
const AHEAD: usize = 24;

pub(super) fn gather(packing: &Packing<'_>, output: &mut [u8]) {
    let share = share(rayon::current_num_threads());
    let parts = (0..FIELDS.len()).flat_map(|field| parts_of(packing, field, share.max(PART)));
    let parts = packing.hand_out(parts.collect(), output);
    for_each(parts, |(part, to)| pack(packing.array(part.field), &part, share, to));
}

/// Bytes of the last-level cache into which each of `threads` threads reads its pieces ahead; 0
/// where that does not pay.
fn share(threads: usize) -> usize {
    if threads <= FEW_THREADS && is_amd() { NEAR / threads } else { 0 }
}

/// Parts of an array, of `size` bytes each.
fn parts_of(packing: &Packing<'_>, field: usize, size: usize) -> impl Iterator<Item = Part> {
    let bytes = packing.array(field).packed_bytes();
    let starts = (0..bytes).step_by(size);
    starts.map(move |start| Part { field, bytes: start..bytes.min(start + size) })
}

/// Chooses the copier: most pieces are shorter than twice the average. Pieces that lie within
/// `share` bytes are read ahead.
fn pack(array: Array<'_>, part: &Part, share: usize, to: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx512) = Avx512BwBmi2::detect() {
        let length = 2 * array.packed_bytes() / array.pieces().max(1);
        match length.div_ceil(LINE) {
            0..=3 => return pack_masked(avx512, Masked::<3>(avx512), array, part, share, to),
            4..=12 => return pack_masked(avx512, MaskedByLength(avx512), array, part, share, to),
            _ => {}
        }
    }
    pack_by(WholeVectors, array, part, share, to);
}

/// Copies the number of vectors that a piece has.
#[derive(Clone, Copy)]
struct WholeVectors;

impl Copier for WholeVectors {
    #[inline(always)]
    fn fetched(piece: &[u8]) -> usize {
        lines_of(piece)
    }

    #[inline(always)]
    fn copy(self, to: &mut [u8], from: &[u8], length: usize) {
        copy_vectors(to, from, length);
    }
}

/// [`pack_by`], compiled for the features of the witness.
#[cfg(target_arch = "x86_64")]
fn pack_masked<C: Copier>(
    _: Avx512BwBmi2,
    copier: C,
    array: Array<'_>,
    part: &Part,
    share: usize,
    to: &mut [u8],
) {
    #[target_feature(enable = "avx512f,avx512bw,bmi2")]
    fn pack<C: Copier>(copier: C, array: Array<'_>, part: &Part, share: usize, to: &mut [u8]) {
        pack_by(copier, array, part, share, to);
    }
    // SAFETY: the witness proves that the CPU has the features that `pack` is compiled for.
    unsafe { pack(copier, array, part, share, to) }
}

#[inline(always)]
fn pack_by<C: Copier>(copier: C, array: Array<'_>, part: &Part, share: usize, to: &mut [u8]) {
    streaming(
        #[inline(always)]
        |stores| {
            let mut page = Page::new(to, stores);
            let mut index = array.piece_at(part.bytes.start);
            let mut next_block = index;
            while let Some(piece) = array.part_of(index, &part.bytes) {
                if share > 0 && index == next_block {
                    next_block = array.pieces().min(index + BLOCK);
                    bring_near(array, index..next_block, share);
                }
                fetch::<C>(array, index + AHEAD);
                page.append(copier, array.bytes(), piece.from.start, piece.from.len());
                index += 1;
            }
        },
    );
}

/// Reads a byte of each line from the first to the last of some pieces, if these span at most
/// `max` bytes.
#[inline(never)]
fn bring_near(array: Array<'_>, pieces: Range<usize>, max: usize) {
    let span = array.span(pieces);
    if span.len() <= max {
        let lines = array.bytes()[span].iter().step_by(LINE);
        std::hint::black_box(lines.fold(0, |bits, &byte| bits | byte));
    }
}

/// Prefetches the lines of a piece, if there is one.
#[inline(always)]
fn fetch<C: Copier>(array: Array<'_>, index: usize) {
    if index < array.pieces() {
        let from = array.piece(index).from;
        for line in 0..C::fetched(&array.bytes()[from.clone()]) {
            prefetch_to_second(array.bytes(), from.start + line * LINE);
        }
    }
}

/// A page that is being filled, and its destination.
struct Page<'o> {
    bytes: Lines,
    filled: usize,
    /// Size of the page.
    capacity: usize,
    to: &'o mut [u8],
    stores: &'o Stores,
}

/// A page, and padding for writes beyond its end.
#[repr(align(64))]
struct Lines([u8; PAGE + SLACK]);

const _: () = assert!(SLACK >= VECTOR);

impl<'o> Page<'o> {
    /// The first page ends at a cache line, so that all others have full lines.
    fn new(to: &'o mut [u8], stores: &'o Stores) -> Self {
        let first = match to.as_ptr().align_offset(LINE) {
            0 => PAGE,
            head => head,
        };
        Page {
            bytes: Lines([0; PAGE + SLACK]),
            filled: 0,
            capacity: first.min(to.len()),
            to,
            stores,
        }
    }

    /// Appends bytes that are followed by at least a vector of readable bytes.
    #[inline(always)]
    fn append<C: Copier>(&mut self, copier: C, from: &[u8], mut start: usize, mut length: usize) {
        while length > 0 {
            let fitting = length.min(self.capacity - self.filled);
            copier.copy(&mut self.bytes.0[self.filled..], &from[start..], fitting);
            self.filled += fitting;
            if self.filled == self.capacity {
                self.leave();
            }
            start += fitting;
            length -= fitting;
        }
    }

    /// Writes the page to memory; the next one is limited to the remaining bytes.
    fn leave(&mut self) {
        let (now, later) = std::mem::take(&mut self.to).split_at_mut(self.filled);
        self.stores.stream(now, &self.bytes.0[..self.filled]);
        self.filled = 0;
        self.capacity = PAGE.min(later.len());
        self.to = later;
    }
}
