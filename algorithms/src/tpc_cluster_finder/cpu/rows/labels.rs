//! Labels of clusters, row by row.

use std::sync::{Mutex, MutexGuard, PoisonError};

use generators::tpc::charges::Labels;
use generators::tpc::geometry::ROWS;

use super::bits::for_each_set;
use super::by_row::{Numbering, RowSamples};
use super::members::{CELLS, Labelled, Members};
use super::strip::{MOST_CELLS, Strip};
use crate::device::{Poison, SharedSlice, prefetch};
use crate::tpc_cluster_finder::cpu::labels::{Flat, Joined};
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::collect::{Collect, Indexed};

/// Who wants labels of clusters.
pub(crate) trait Labelling: Sync {
    /// What is collected in a row.
    type OfRow: LabelsOfRow;

    /// For a row that nothing was found in so far.
    fn begin(&self, samples: &RowSamples<'_>) -> Self::OfRow;

    /// Keeps what was collected.
    fn end(&self, samples: &RowSamples<'_>, labels: Self::OfRow);
}

/// Labels of the clusters of a row, while they are found.
pub(crate) trait LabelsOfRow {
    /// What has to be known of the cells of a cluster.
    type Members: Members;

    /// Looks up the labels of the samples that have been put into a strip.
    fn fill(&mut self, strip: &Strip<'_>, samples: &RowSamples<'_>);

    /// Collects the labels of the next cluster, which is around this peak.
    fn collect(&mut self, peak: usize, members: Self::Members);
}

/// Nobody does.
impl Labelling for () {
    type OfRow = ();

    #[inline]
    fn begin(&self, _: &RowSamples<'_>) {}

    #[inline]
    fn end(&self, _: &RowSamples<'_>, (): ()) {}
}

impl LabelsOfRow for () {
    type Members = ();

    #[inline]
    fn fill(&mut self, _: &Strip<'_>, _: &RowSamples<'_>) {}

    #[inline]
    fn collect(&mut self, _: usize, (): ()) {}
}

/// Where the labels of a sample are among those of its sector.
#[derive(Clone, Copy, Default)]
pub(super) struct Span {
    first: u32,
    count: u32,
}

impl Poison for Span {
    const POISON: Self = Span { first: u32::MAX, count: 0 };
}

/// Notes where the labels of samples are while these are put in order: they are in the order of
/// labels then.
pub(super) struct Noting<'n> {
    pub(super) charges: &'n Charges,
    pub(super) spans: SharedSlice<'n, Span>,
}

impl Numbering for Noting<'_> {
    #[inline]
    unsafe fn note(&self, place: usize, case: usize, number: usize) {
        let labels = self.charges.cases()[case].labels.as_ref();
        let span = labels.map_or(Span::default(), |labels| Span {
            first: labels.first()[number],
            count: labels.of(number).len() as u32,
        });
        // SAFETY: as the caller says.
        unsafe { self.spans.write(place, span) };
    }
}

/// What is kept from run to run, so that nobody waits for memory.
#[derive(Default)]
pub(super) struct Kept {
    /// What was collected last, row by row.
    rows: Vec<Mutex<Joined>>,
    /// What threads have done with, for the next row.
    free: Mutex<Vec<Scratch>>,
}

impl Kept {
    /// For the rows of so many sectors.
    pub(super) fn new(sectors: usize) -> Self {
        let rows = (0..sectors * ROWS).map(|_| Mutex::default()).collect();
        Kept { rows, free: Mutex::default() }
    }

    /// Forgets what was collected.
    pub(super) fn clear(&mut self) {
        for row in &mut self.rows {
            row.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    /// All labels that were collected, as one list.
    pub(super) fn flat(&mut self) -> Flat {
        let rows = self.rows.iter_mut();
        let rows: Vec<_> =
            rows.map(|row| &*row.get_mut().unwrap_or_else(PoisonError::into_inner)).collect();
        Flat::of(&rows)
    }
}

/// Collects the labels of all rows.
pub(super) struct AllLabels<'l> {
    pub(super) charges: &'l Charges,
    /// Where the labels of each sample are, row by row.
    pub(super) spans: &'l [Span],
    pub(super) kept: &'l Kept,
}

/// What a thread collects labels with.
struct Scratch {
    /// Of each cell that has a sample, where its labels are.
    cells: Vec<u32>,
    /// From a peak to the cells around it.
    steps: [usize; CELLS.len()],
    given: Given,
    /// Those of the samples of a cluster.
    met: Vec<u64>,
    collect: Indexed,
}

impl Scratch {
    fn new() -> Self {
        let (given, collect) = (Given::default(), Indexed::default());
        Scratch {
            cells: vec![0; MOST_CELLS],
            steps: [0; CELLS.len()],
            given,
            met: Vec::new(),
            collect,
        }
    }
}

/// The labels of the samples of a strip, how many there are before those of each. Those of a sector
/// are in the order of time, so that a row has a few here and there: brought together they stay in
/// the nearest caches.
#[derive(Default)]
struct Given {
    all: Vec<u64>,
    end: usize,
    /// Labels of the sample with the most.
    most: usize,
}

impl Given {
    fn clear(&mut self) {
        (self.end, self.most) = (0, 0);
    }

    /// Adds those of a sample, and says where they are.
    #[inline]
    fn add(&mut self, of_sector: &[u64], span: Span) -> u32 {
        let (place, count) = (self.end, span.count as usize);
        self.end += 1 + count;
        if self.all.len() < self.end + FEW {
            self.all.resize(2 * (self.end + FEW), 0);
        }
        let to = &mut self.all[place..];
        to[0] = count as u64;
        copy(&of_sector[span.first as usize..], &mut to[1..], count);
        self.most = self.most.max(count);
        place as u32
    }

    /// Copies those at a place to the begin of a list, and says how many there are.
    #[inline]
    fn copy(&self, place: u32, to: &mut [u64]) -> usize {
        let [count, labels @ ..] = &self.all[place as usize..] else { return 0 };
        let count = *count as usize;
        copy(labels, to, count);
        count
    }
}

/// Labels that are copied whether they are there or not: more are rare.
const FEW: usize = 4;

/// Copies some labels, and maybe what is behind them: how many there are decides on nothing.
#[inline(always)]
fn copy(from: &[u64], to: &mut [u64], count: usize) {
    match (from.first_chunk::<FEW>(), to.first_chunk_mut::<FEW>()) {
        (Some(from), Some(to)) if count <= FEW => *to = *from,
        _ => copy_exactly(from, to, count),
    }
}

/// Apart, lest the compiler makes one copy of both, of a length that only the machine knows.
#[cold]
#[inline(never)]
fn copy_exactly(from: &[u64], to: &mut [u64], count: usize) {
    to[..count].copy_from_slice(&from[..count]);
}

/// Samples ahead that labels are asked for before they are needed.
const AHEAD: usize = 24;

/// The labels of a row.
pub(super) struct OfRow<'l> {
    /// Those of the sector.
    of_sector: &'l [u64],
    /// Where those of the samples of the row are.
    spans: &'l [Span],
    scratch: Scratch,
    labels: Joined,
}

impl<'l> Labelling for AllLabels<'l> {
    type OfRow = OfRow<'l>;

    fn begin(&self, samples: &RowSamples<'_>) -> OfRow<'l> {
        let free = self.kept.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let of_sector = self.charges.cases()[samples.case].labels.as_ref();
        let of_sector = of_sector.map_or(&[][..], Labels::all);
        let spans = &self.spans[samples.first()..samples.first() + samples.all().len()];
        let labels = std::mem::take(&mut *self.row(samples));
        OfRow { of_sector, spans, scratch: free.unwrap_or_else(Scratch::new), labels }
    }

    fn end(&self, samples: &RowSamples<'_>, row: OfRow<'l>) {
        *self.row(samples) = row.labels;
        self.kept.free.lock().unwrap_or_else(PoisonError::into_inner).push(row.scratch);
    }
}

impl AllLabels<'_> {
    fn row(&self, samples: &RowSamples<'_>) -> MutexGuard<'_, Joined> {
        let row = &self.kept.rows[samples.case * ROWS + samples.row];
        row.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LabelsOfRow for OfRow<'_> {
    type Members = Labelled;

    fn fill(&mut self, strip: &Strip<'_>, samples: &RowSamples<'_>) {
        let Scratch { cells, steps, given, met, .. } = &mut self.scratch;
        given.clear();
        for run in samples.of(&strip.times.time_bins) {
            for (place, sample) in run.clone().zip(&samples.all()[run]) {
                if let Some(&Span { first, count }) = self.spans.get(place + AHEAD) {
                    prefetch(self.of_sector, first as usize);
                    prefetch(self.of_sector, first as usize + count as usize);
                }
                if let Some(cell) = strip.cell_of(*sample) {
                    cells[cell] = given.add(self.of_sector, self.spans[place]);
                }
            }
        }
        met.resize(CELLS.len() * given.most + FEW, 0);
        *steps = CELLS.map(|(a, b)| strip.plus(0, (a.into(), b.into())));
    }

    #[inline]
    fn collect(&mut self, peak: usize, Labelled(members): Labelled) {
        let Scratch { cells, steps, given, met, collect } = &mut self.scratch;
        let mut count = 0;
        for_each_set(members.into(), 0, |cell| {
            let place = cells[peak.wrapping_add(steps[cell])];
            count += given.copy(place, &mut met[count..]);
        });
        collect.add_all(&met[..count]);
        self.labels.add(|all| collect.take(all));
    }
}
