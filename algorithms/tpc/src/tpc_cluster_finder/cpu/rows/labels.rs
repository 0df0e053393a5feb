//! Labels of clusters, row by row.

use std::sync::{Mutex, MutexGuard, PoisonError};

use generators_tpc::charges::Labels;
use generators_tpc::geometry::ROWS;
use parallel::prefetch::prefetch;
use parallel::shared::SharedSlice;

use super::by_row::{Numbering, RowSamples};
use super::clusters::{CELLS, Labelled, Members};
use super::strip::{MAX_CELLS, Strip, for_each_set};
use crate::tpc_cluster_finder::cpu::{Flat, Joined};
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::collect::{Collect, Indexed};
use tasks::device::Poison;

/// Collects labels of clusters, or none.
pub(crate) trait Labelling: Sync {
    /// Labels collected in a row.
    type RowLabels: LabelsOfRow;

    /// Starts a row without clusters.
    fn begin(&self, samples: &RowSamples<'_>) -> Self::RowLabels;

    /// Stores the labels that were collected.
    fn end(&self, samples: &RowSamples<'_>, labels: Self::RowLabels);
}

/// Labels of the clusters of a row, while they are found.
pub(crate) trait LabelsOfRow {
    /// Information about the cells of a cluster that is needed.
    type Members: Members;

    /// Looks up the labels of the samples that have been put into a strip.
    fn fill(&mut self, strip: &Strip<'_>, samples: &RowSamples<'_>);

    /// Collects the labels of the next cluster, which is around this peak.
    fn collect(&mut self, peak: usize, members: Self::Members);
}

/// Collects nothing.
impl Labelling for () {
    type RowLabels = ();

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

/// Range of the labels of a sample among those of its sector.
#[derive(Clone, Copy, Default)]
pub(super) struct Span {
    first: u32,
    count: u32,
}

impl Poison for Span {
    const POISON: Self = Span { first: u32::MAX, count: 0 };
}

/// Stores the label ranges of samples while these are sorted: ranges are in the order of sorted
/// samples.
pub(super) struct Noting<'n> {
    pub(super) charges: &'n Charges,
    pub(super) spans: SharedSlice<'n, Span>,
}

impl Numbering for Noting<'_> {
    #[inline]
    unsafe fn note(&self, to: usize, case: usize, index: usize) {
        let labels = self.charges.cases()[case].labels.as_ref();
        let span = labels.map_or(Span::default(), |labels| Span {
            first: labels.first()[index],
            count: labels.list(index).len() as u32,
        });
        // SAFETY: the caller ensures that `to` is within bounds and used once.
        unsafe { self.spans.write(to, span) };
    }
}

/// Buffers that are reused from run to run, so that no run waits for memory.
#[derive(Default)]
pub(super) struct LabelBuffers {
    /// Labels of the last run, row by row.
    rows: Vec<Mutex<Joined>>,
    /// Scratch buffers of finished rows, for the next ones.
    free: Mutex<Vec<Scratch>>,
}

impl LabelBuffers {
    /// Buffers for the rows of `sectors` sectors.
    pub(super) fn new(sectors: usize) -> Self {
        let rows = (0..sectors * ROWS).map(|_| Mutex::default()).collect();
        LabelBuffers { rows, free: Mutex::default() }
    }

    /// Removes all labels.
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
        Flat::concatenate(&rows)
    }
}

/// Collects the labels of all rows.
pub(super) struct AllLabels<'l> {
    pub(super) charges: &'l Charges,
    /// Label range of each sample, row by row.
    pub(super) spans: &'l [Span],
    pub(super) label_buffers: &'l LabelBuffers,
}

/// Buffers with which a thread collects labels.
struct Scratch {
    /// For each cell with a sample, the offset of its labels.
    cells: Vec<u32>,
    /// Offsets from a peak to the cells around it.
    steps: [usize; CELLS.len()],
    strip_labels: StripLabels,
    /// Labels of the samples of a cluster.
    met: Vec<u64>,
    collect: Indexed,
}

impl Scratch {
    fn new() -> Self {
        let strip_labels = StripLabels::default();
        let collect = Indexed::default();
        Scratch {
            cells: vec![0; MAX_CELLS],
            steps: [0; CELLS.len()],
            strip_labels,
            met: Vec::new(),
            collect,
        }
    }
}

/// The labels of the samples of a strip, with their number before the labels of each. Those of a
/// sector are in the order of time, so that those of a row are scattered: copied to one buffer they
/// stay in the nearest caches.
#[derive(Default)]
struct StripLabels {
    all: Vec<u64>,
    end: usize,
    /// Maximum number of labels of a sample.
    max_count: usize,
}

impl StripLabels {
    fn clear(&mut self) {
        (self.end, self.max_count) = (0, 0);
    }

    /// Adds the labels of a sample, and returns their offset.
    #[inline]
    fn add(&mut self, of_sector: &[u64], span: Span) -> u32 {
        let offset = self.end;
        let count = span.count as usize;
        self.end += 1 + count;
        if self.all.len() < self.end + FEW {
            self.all.resize(2 * (self.end + FEW), 0);
        }
        let to = &mut self.all[offset..];
        to[0] = count as u64;
        copy(&of_sector[span.first as usize..], &mut to[1..], count);
        self.max_count = self.max_count.max(count);
        offset as u32
    }

    /// Copies the labels at an offset to the start of a list, and returns their count.
    #[inline]
    fn copy(&self, offset: u32, to: &mut [u64]) -> usize {
        let [count, labels @ ..] = &self.all[offset as usize..] else { return 0 };
        let count = *count as usize;
        copy(labels, to, count);
        count
    }
}

/// Labels that are copied unconditionally: more are rare.
const FEW: usize = 4;

/// Copies some labels, and maybe others after them: copying a fixed number avoids a branch on the
/// count.
#[inline(always)]
fn copy(from: &[u64], to: &mut [u64], count: usize) {
    match (from.first_chunk::<FEW>(), to.first_chunk_mut::<FEW>()) {
        (Some(from), Some(to)) if count <= FEW => *to = *from,
        _ => copy_exactly(from, to, count),
    }
}

/// Out of line so that the compiler does not merge both copies into one of variable length.
#[cold]
#[inline(never)]
fn copy_exactly(from: &[u64], to: &mut [u64], count: usize) {
    to[..count].copy_from_slice(&from[..count]);
}

/// Prefetch distance of labels, in samples.
const AHEAD: usize = 24;

/// The labels of a row.
pub(super) struct RowLabels<'l> {
    /// Labels of the sector.
    of_sector: &'l [u64],
    /// Label ranges of the samples of the row.
    spans: &'l [Span],
    scratch: Scratch,
    labels: Joined,
}

impl<'l> Labelling for AllLabels<'l> {
    type RowLabels = RowLabels<'l>;

    fn begin(&self, samples: &RowSamples<'_>) -> RowLabels<'l> {
        let free = self.label_buffers.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let of_sector = self.charges.cases()[samples.case].labels.as_ref();
        let of_sector = of_sector.map_or(&[][..], Labels::all);
        let spans = &self.spans[samples.first()..samples.first() + samples.all().len()];
        let labels = std::mem::take(&mut *self.row(samples));
        RowLabels { of_sector, spans, scratch: free.unwrap_or_else(Scratch::new), labels }
    }

    fn end(&self, samples: &RowSamples<'_>, row: RowLabels<'l>) {
        *self.row(samples) = row.labels;
        self.label_buffers.free.lock().unwrap_or_else(PoisonError::into_inner).push(row.scratch);
    }
}

impl AllLabels<'_> {
    fn row(&self, samples: &RowSamples<'_>) -> MutexGuard<'_, Joined> {
        let row = &self.label_buffers.rows[samples.case * ROWS + samples.row];
        row.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LabelsOfRow for RowLabels<'_> {
    type Members = Labelled;

    fn fill(&mut self, strip: &Strip<'_>, samples: &RowSamples<'_>) {
        let Scratch { cells, steps, strip_labels, met, .. } = &mut self.scratch;
        strip_labels.clear();
        for run in samples.in_times(&strip.times.time_bins) {
            for (index, sample) in run.clone().zip(&samples.all()[run]) {
                if let Some(&Span { first, count }) = self.spans.get(index + AHEAD) {
                    prefetch(self.of_sector, first as usize);
                    prefetch(self.of_sector, first as usize + count as usize);
                }
                if let Some(cell) = strip.cell_of(*sample) {
                    cells[cell] = strip_labels.add(self.of_sector, self.spans[index]);
                }
            }
        }
        met.resize(CELLS.len() * strip_labels.max_count + FEW, 0);
        *steps = CELLS.map(|(a, b)| strip.plus(0, (a.into(), b.into())));
    }

    #[inline]
    fn collect(&mut self, peak: usize, Labelled(members): Labelled) {
        let Scratch { cells, steps, strip_labels, met, collect } = &mut self.scratch;
        let mut count = 0;
        for_each_set(members.into(), 0, |cell| {
            let offset = cells[peak.wrapping_add(steps[cell])];
            count += strip_labels.copy(offset, &mut met[count..]);
        });
        collect.add_all(&met[..count]);
        self.labels.add(|all| collect.take(all));
    }
}
