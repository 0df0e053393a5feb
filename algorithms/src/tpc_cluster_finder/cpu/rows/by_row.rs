//! Samples by row, those of a row in the order in which they came.

use std::ops::Range;

use generators::tpc::charges::Charge;
use generators::tpc::geometry::ROWS;

use crate::device::SharedSlice;
use crate::parallel::{for_each, map};
use crate::tpc_cluster_finder::input::Charges;

/// Fewer samples are not worth a thread.
const LEAST: usize = 1 << 14;

/// The samples of a row of a sector.
pub(super) struct RowOfCase<'r> {
    pub(super) case: usize,
    pub(super) row: usize,
    samples: &'r [Charge],
    /// Whether they are in the order of time.
    in_order: bool,
}

impl<'r> RowOfCase<'r> {
    /// Those of some time bins, and maybe others.
    pub(super) fn samples(&self, times: &Range<u32>) -> &'r [Charge] {
        if !self.in_order {
            return self.samples;
        }
        let before = |time| self.samples.partition_point(|sample| sample.time < time);
        &self.samples[before(times.start)..before(times.end)]
    }
}

/// Samples of a sector that one thread puts in order.
struct Piece<'p> {
    case: usize,
    samples: &'p [Charge],
}

/// How many samples of each row there are, and then where the next of them goes.
type Counts = [u32; ROWS];

/// Puts samples in order, and says which rows have any.
pub(super) fn sort<'r>(charges: &Charges, by_row: &'r mut [Charge]) -> Vec<RowOfCase<'r>> {
    let pieces = pieces(charges);
    let mut counts = map(&pieces, |piece| counts(piece.samples));
    let ends = place(charges.cases().len(), &pieces, &mut counts);
    let shared = SharedSlice::new(by_row);
    for_each(pieces.iter().zip(counts), |(piece, mut places)| {
        for sample in piece.samples {
            let place = &mut places[usize::from(sample.pad.row())];
            // SAFETY: each piece has places of its own for the samples of each row.
            unsafe { shared.write(*place as usize, *sample) };
            *place += 1;
        }
    });
    rows(&ends, by_row)
}

/// Several of each sector, so that all threads have something to do.
fn pieces(charges: &Charges) -> Vec<Piece<'_>> {
    let length = (charges.samples() / rayon::current_num_threads()).max(LEAST);
    let cases = charges.cases().iter().enumerate();
    let of_case = cases.map(|(case, charges)| {
        charges.charges.chunks(length).map(move |samples| Piece { case, samples })
    });
    of_case.flatten().collect()
}

fn counts(samples: &[Charge]) -> Counts {
    let mut counts = [0; ROWS];
    for sample in samples {
        counts[usize::from(sample.pad.row())] += 1;
    }
    counts
}

/// Makes places of counts, sector by sector and row by row, and says where each row ends.
fn place(cases: usize, pieces: &[Piece<'_>], counts: &mut [Counts]) -> Vec<usize> {
    let mut next = 0;
    let mut ends = Vec::with_capacity(cases * ROWS);
    let mut first = 0;
    for case in 0..cases {
        let count = pieces[first..].iter().take_while(|piece| piece.case == case).count();
        for row in 0..ROWS {
            for of_piece in &mut counts[first..first + count] {
                let samples = of_piece[row];
                of_piece[row] = next;
                next += samples;
            }
            ends.push(next as usize);
        }
        first += count;
    }
    ends
}

fn rows<'r>(ends: &[usize], mut by_row: &'r [Charge]) -> Vec<RowOfCase<'r>> {
    let mut begin = 0;
    let mut rows = Vec::new();
    for (number, &end) in ends.iter().enumerate() {
        let (samples, others) = by_row.split_at(end - begin);
        (by_row, begin) = (others, end);
        if !samples.is_empty() {
            let (case, row) = (number / ROWS, number % ROWS);
            let in_order = samples.is_sorted_by_key(|sample| sample.time);
            rows.push(RowOfCase { case, row, samples, in_order });
        }
    }
    rows
}
