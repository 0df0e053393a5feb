//! Samples by row, those of a row in the order in which they came.

use std::ops::Range;

use generators::tpc::charges::Charge;
use generators::tpc::geometry::ROWS;

use crate::device::SharedSlice;
use crate::parallel::{for_each, map};

/// Fewer samples are not worth a thread.
const LEAST: usize = 1 << 14;
/// More runs are looked at as a whole.
const MOST_RUNS: usize = 8;

/// What becomes a sample of a row.
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
    /// The number of the sector,
    pub(crate) case: usize,
    /// and of the row.
    pub(crate) row: usize,
    all: &'r [Charge],
    first: usize,
    /// Ranges of them that are in the order of time; one that is not, if there would be many.
    runs: Vec<Range<usize>>,
    in_order: bool,
}

impl<'r> RowSamples<'r> {
    fn new((case, row): (usize, usize), first: usize, all: &'r [Charge]) -> Self {
        let mut runs = all.chunk_by(|one, next| one.time <= next.time);
        let mut ranges = Vec::new();
        let mut start = 0;
        for run in runs.by_ref().take(MOST_RUNS) {
            ranges.push(start..start + run.len());
            start += run.len();
        }
        let in_order = start == all.len();
        if !in_order {
            ranges = std::iter::once(0..all.len()).collect();
        }
        RowSamples { case, row, all, first, runs: ranges, in_order }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &'r [Charge] {
        self.all
    }

    /// The number of the first one among those of all rows.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Ranges of those of some time bins, and maybe others.
    pub(super) fn of(&self, times: &Range<u32>) -> impl Iterator<Item = Range<usize>> {
        let (start, end, in_order) = (times.start, times.end, self.in_order);
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

/// Samples of a sector that one thread puts in order.
struct Piece<'p, T> {
    case: usize,
    /// The number of the first one in the sector.
    first: usize,
    samples: &'p [T],
}

/// How many samples of each row there are, and then where the next of them goes.
type Counts = [u32; ROWS];

/// Samples in order: the rows that have any, and where each row of each sector begins, and the
/// last one ends.
pub(crate) type Sorted<'r> = (Vec<RowSamples<'r>>, Vec<usize>);

/// Who wants to know which samples have become which.
pub(crate) trait Numbering: Sync {
    /// Notes where a sample of a sector has gone.
    ///
    /// # Safety
    /// No two of them go to the same place, which is below the number of all.
    unsafe fn note(&self, place: usize, case: usize, number: usize);
}

/// Nobody does.
impl Numbering for () {
    #[inline]
    unsafe fn note(&self, _: usize, _: usize, _: usize) {}
}

/// Puts the samples of some sectors in order, as charges.
pub(crate) fn sort<'r, T: Source>(
    sectors: &[&[T]],
    charge: impl Fn(usize, T) -> Charge + Sync,
    by_row: &'r mut [Charge],
    numbering: &impl Numbering,
) -> Sorted<'r> {
    let pieces = pieces(sectors);
    let mut counts = map(&pieces, |piece| counts(piece.samples));
    let starts = place(sectors.len(), &pieces, &mut counts);
    let shared = SharedSlice::new(by_row);
    for_each(pieces.iter().zip(counts), |(piece, mut places)| {
        for (number, &sample) in piece.samples.iter().enumerate() {
            let place = &mut places[sample.row()];
            // SAFETY: each piece has places of its own for the samples of each row.
            unsafe {
                shared.write(*place as usize, charge(piece.case, sample));
                numbering.note(*place as usize, piece.case, piece.first + number);
            }
            *place += 1;
        }
    });
    (rows(&starts, by_row), starts)
}

/// Several of each sector, so that all threads have something to do.
fn pieces<'p, T>(sectors: &[&'p [T]]) -> Vec<Piece<'p, T>> {
    let all: usize = sectors.iter().map(|samples| samples.len()).sum();
    let length = (all / rayon::current_num_threads()).max(LEAST);
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

/// Makes places of counts, sector by sector and row by row, and says where each row begins.
fn place<T>(sectors: usize, pieces: &[Piece<'_, T>], counts: &mut [Counts]) -> Vec<usize> {
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
    let samples = numbered.map(|(number, ends)| (number, ends[0], &by_row[ends[0]..ends[1]]));
    let with_any = samples.filter(|(_, _, samples)| !samples.is_empty());
    let row =
        |(number, first, samples)| RowSamples::new((number / ROWS, number % ROWS), first, samples);
    with_any.map(row).collect()
}

#[cfg(test)]
mod tests {
    use generators::tpc::PadId;

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
    fn samples_of_a_time_are_found_in_each_run() {
        let times = |times: &[u32], wanted: Range<u32>| {
            let samples: Vec<_> = times.iter().map(|&time| sample(time, 0)).collect();
            let row = RowSamples::new((0, 0), 0, &samples);
            let wanted = row.of(&wanted).flatten();
            wanted.map(|number| samples[number].time).collect::<Vec<_>>()
        };
        assert_eq!(times(&[1, 5, 9, 2, 5, 6], 2..6), [5, 2, 5]);
        assert!(times(&[1, 2, 3], 4..6).is_empty());
        let falling: Vec<_> = (0..20).rev().collect();
        assert_eq!(times(&falling, 2..6), falling, "too many runs to look at each");
    }
}
