//! Samples by row, in input order within each row.

use std::ops::Range;

use generators_tpc::charges::Charge;
use generators_tpc::geometry::ROWS;

use parallel::shared::SharedSlice;
use parallel::{for_each, map};

/// Minimum number of samples for a thread.
const MIN_SAMPLES: usize = 1 << 14;
/// Maximum number of runs; with more, all samples form one range.
const MAX_RUNS: usize = 8;

/// Input that becomes a sample of a row.
pub(crate) trait Source: Copy + Sync {
    /// The row of its pad.
    fn row(self) -> usize;
}

impl Source for Charge {
    #[inline]
    fn row(self) -> usize {
        self.pad.row().into()
    }
}

/// The samples of a row of a sector.
pub(crate) struct RowSamples<'r> {
    /// The index of the sector,
    pub(crate) case: usize,
    /// and of the row.
    pub(crate) row: usize,
    all: &'r [Charge],
    first: usize,
    /// Ranges of samples in the order of time; or one unordered range, if there would be too many.
    runs: Vec<Range<usize>>,
    in_order: bool,
}

impl<'r> RowSamples<'r> {
    fn new(case: usize, row: usize, first: usize, all: &'r [Charge]) -> Self {
        let mut runs = all.chunk_by(|one, next| one.time <= next.time);
        let mut ranges = Vec::new();
        let mut start = 0;
        for run in runs.by_ref().take(MAX_RUNS) {
            ranges.push(start..start + run.len());
            start += run.len();
        }
        let in_order = start == all.len();
        if !in_order {
            ranges = std::iter::once(0..all.len()).collect();
        }
        RowSamples { case, row, all, first, runs: ranges, in_order }
    }

    /// All samples.
    pub(crate) fn all(&self) -> &'r [Charge] {
        self.all
    }

    /// The index of the first one among those of all rows.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Ranges that contain the samples of these time bins, and maybe others.
    pub(super) fn in_times(&self, times: &Range<u32>) -> impl Iterator<Item = Range<usize>> {
        let start = times.start;
        let end = times.end;
        let in_order = self.in_order;
        self.runs.iter().map(move |run| {
            if !in_order {
                return run.clone();
            }
            let samples = &self.all[run.clone()];
            let before = |time| run.start + samples.partition_point(|sample| sample.time < time);
            before(start)..before(end)
        })
    }
}

/// Samples of a sector that one thread sorts.
struct Piece<'p, T> {
    case: usize,
    /// The index of the first one in the sector.
    first: usize,
    samples: &'p [T],
}

/// The number of samples of each row, and later the index of the next of them.
type Counts = [u32; ROWS];

/// Samples in order: the rows that have any, and the offsets of each row of each sector, with the
/// end of the last one.
pub(crate) type Sorted<'r> = (Vec<RowSamples<'r>>, Vec<usize>);

/// Records the new index of samples.
pub(crate) trait Numbering: Sync {
    /// Records the new index `to` of the sample `index` of a sector.
    ///
    /// # Safety
    /// No two samples have the same index, and each is below the number of all samples.
    unsafe fn note(&self, to: usize, case: usize, index: usize);
}

/// Records nothing.
impl Numbering for () {
    #[inline]
    unsafe fn note(&self, _: usize, _: usize, _: usize) {}
}

/// Sorts the samples of some sectors by row, and converts them to charges.
pub(crate) fn sort<'r, T: Source>(
    sectors: &[&[T]],
    charge: impl Fn(usize, T) -> Charge + Sync,
    by_row: &'r mut [Charge],
    numbering: &impl Numbering,
) -> Sorted<'r> {
    let pieces = pieces(sectors);
    let mut counts = map(&pieces, |piece| counts(piece.samples));
    let starts = counts_to_offsets(sectors.len(), &pieces, &mut counts);
    let shared = SharedSlice::new(by_row);
    for_each(pieces.iter().zip(counts), |(piece, mut indices)| {
        for (index, &sample) in piece.samples.iter().enumerate() {
            let to = &mut indices[sample.row()];
            // SAFETY: pieces have disjoint ranges of indices for the samples of each row.
            unsafe {
                shared.write(*to as usize, charge(piece.case, sample));
                numbering.note(*to as usize, piece.case, piece.first + index);
            }
            *to += 1;
        }
    });
    (rows(&starts, by_row), starts)
}

/// Several pieces of each sector, so that all threads are busy.
fn pieces<'p, T>(sectors: &[&'p [T]]) -> Vec<Piece<'p, T>> {
    let all: usize = sectors.iter().map(|samples| samples.len()).sum();
    let length = (all / rayon::current_num_threads()).max(MIN_SAMPLES);
    let of_sector = sectors.iter().enumerate().map(|(case, samples)| {
        let numbered = samples.chunks(length).enumerate();
        numbered.map(move |(piece, samples)| Piece { case, first: piece * length, samples })
    });
    of_sector.flatten().collect()
}

fn counts<T: Source>(samples: &[T]) -> Counts {
    let mut counts = [0; ROWS];
    for sample in samples {
        counts[sample.row()] += 1;
    }
    counts
}

/// Turns counts into offsets, sector by sector and row by row, and returns the offset of each row.
fn counts_to_offsets<T>(
    sectors: usize,
    pieces: &[Piece<'_, T>],
    counts: &mut [Counts],
) -> Vec<usize> {
    let mut next = 0;
    let mut starts = Vec::with_capacity(sectors * ROWS + 1);
    starts.push(0);
    let mut first = 0;
    for sector in 0..sectors {
        let count = pieces[first..].iter().take_while(|piece| piece.case == sector).count();
        for row in 0..ROWS {
            for of_piece in &mut counts[first..first + count] {
                let samples = of_piece[row];
                of_piece[row] = next;
                next += samples;
            }
            starts.push(next as usize);
        }
        first += count;
    }
    starts
}

fn rows<'r>(starts: &[usize], by_row: &'r [Charge]) -> Vec<RowSamples<'r>> {
    let numbered = starts.windows(2).enumerate();
    let samples = numbered.map(|(index, ends)| (index, ends[0], &by_row[ends[0]..ends[1]]));
    let with_any = samples.filter(|(_, _, samples)| !samples.is_empty());
    let row = |(index, first, samples)| RowSamples::new(index / ROWS, index % ROWS, first, samples);
    with_any.map(row).collect()
}

#[cfg(test)]
mod tests {
    use generators_tpc::PadId;

    use super::*;

    fn sample(time: u32, row: u8) -> Charge {
        Charge { time, pad: PadId::new(row, 0), charge: 1 }
    }

    #[test]
    fn rows_have_their_samples_in_order_by_sector() {
        let first = [sample(1, 3), sample(2, 0), sample(3, 3)];
        let second = [sample(7, 151)];
        let mut by_row = [Charge::default(); 4];
        let (rows, starts) =
            sort(&[&first[..], &[], &second], |_, sample| sample, &mut by_row, &());
        let found: Vec<_> = rows.iter().map(|row| (row.case, row.row, row.all().len())).collect();
        assert_eq!(found, [(0, 0, 1), (0, 3, 2), (2, 151, 1)]);
        assert_eq!(rows[1].all(), [first[0], first[2]]);
        assert_eq!(starts[..5], [0, 1, 1, 1, 3]);
        assert_eq!((starts.len(), starts[3 * ROWS - 1], starts[3 * ROWS]), (3 * ROWS + 1, 3, 4));
    }

    #[test]
    fn samples_in_times_are_found_in_each_run() {
        let times = |times: &[u32], wanted: Range<u32>| {
            let samples: Vec<_> = times.iter().map(|&time| sample(time, 0)).collect();
            let row = RowSamples::new(0, 0, 0, &samples);
            let wanted = row.in_times(&wanted).flatten();
            wanted.map(|index| samples[index].time).collect::<Vec<_>>()
        };
        assert_eq!(times(&[1, 5, 9, 2, 5, 6], 2..6), [5, 2, 5]);
        assert!(times(&[1, 2, 3], 4..6).is_empty());
        let falling: Vec<_> = (0..20).rev().collect();
        assert_eq!(times(&falling, 2..6), falling, "too many runs to look at each");
    }
}
