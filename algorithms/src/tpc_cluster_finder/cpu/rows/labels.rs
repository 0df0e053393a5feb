//! Labels of clusters, row by row.

use std::sync::{Mutex, PoisonError};

use generators::tpc::charges::Labels;
use generators::tpc::geometry::ROWS;

use super::by_row::RowSamples;
use super::members::{CELLS, Labelled, Members};
use super::strip::{MOST_CELLS, Strip};
use crate::device::prefetch;
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

    /// Notes where the samples are that have been put into a strip.
    fn fill(&mut self, strip: &Strip<'_>, samples: &RowSamples<'_>);

    /// Collects the labels of the next cluster, which is around this peak.
    fn collect(&mut self, strip: &Strip<'_>, peak: usize, members: Self::Members);
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
    fn collect(&mut self, _: &Strip<'_>, _: usize, (): ()) {}
}

/// Collects the labels of all rows.
pub(super) struct AllLabels<'l> {
    charges: &'l Charges,
    /// The number of each sample in its sector, row by row.
    numbers: &'l [u32],
    rows: Vec<Mutex<Joined>>,
    /// What threads have done with, for the next row.
    free: Mutex<Vec<Scratch>>,
}

/// What a thread collects labels with.
struct Scratch {
    /// The number of the sample of each cell that has one, among those of the row.
    cells: Vec<u32>,
    given: RowLabels,
    collect: Indexed,
}

/// The labels of the samples of a row. Those of a sector are in the order of time, so that a row has
/// a few here and there: brought together they stay in the nearest caches.
#[derive(Default)]
struct RowLabels {
    all: Vec<u64>,
    /// Where those of each sample begin, and where those of the last one end.
    first: Vec<u32>,
}

/// Labels that are copied whether they are there or not, and for how many there is room until they
/// are looked at.
const FEW: usize = 4;
const MET: usize = 128;

/// Samples ahead that labels are asked for before they are needed.
const AHEAD: usize = 24;

impl RowLabels {
    fn fill(&mut self, labels: Option<&Labels>, numbers: &[u32]) {
        self.all.clear();
        self.first.clear();
        self.first.push(0);
        let Some(labels) = labels else {
            self.first.resize(numbers.len() + 1, 0);
            self.all.resize(FEW, 0);
            return;
        };
        for (place, &number) in numbers.iter().enumerate() {
            if let Some(&later) = numbers.get(place + 2 * AHEAD) {
                prefetch(labels.first(), later as usize);
            }
            if let Some(&later) = numbers.get(place + AHEAD) {
                prefetch(labels.all(), labels.first()[later as usize] as usize);
            }
            self.all.extend_from_slice(labels.of(number as usize));
            self.first.push(self.all.len() as u32);
        }
        // So that a few can be copied from anywhere.
        self.all.resize(self.all.len() + FEW, 0);
    }
}

/// The labels of a row.
pub(super) struct OfRow {
    scratch: Scratch,
    labels: Joined,
}

impl<'l> AllLabels<'l> {
    pub(super) fn new(charges: &'l Charges, numbers: &'l [u32]) -> Self {
        let rows = (0..charges.cases().len() * ROWS).map(|_| Mutex::default()).collect();
        AllLabels { charges, numbers, rows, free: Mutex::default() }
    }

    /// All that were collected, as one list.
    pub(super) fn flat(self) -> Flat {
        let rows = self.rows.into_iter();
        let rows: Vec<_> =
            rows.map(|row| row.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        Flat::of(&rows)
    }
}

impl<'l> Labelling for &'l AllLabels<'l> {
    type OfRow = OfRow;

    fn begin(&self, samples: &RowSamples<'_>) -> OfRow {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch = free.unwrap_or_else(Scratch::new);
        let own = samples.first()..samples.first() + samples.all().len();
        let labels = self.charges.cases()[samples.case].labels.as_ref();
        scratch.given.fill(labels, &self.numbers[own]);
        OfRow { scratch, labels: Joined::default() }
    }

    fn end(&self, samples: &RowSamples<'_>, row: OfRow) {
        let mut kept = self.rows[samples.case * ROWS + samples.row]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = row.labels;
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(row.scratch);
    }
}

impl Scratch {
    fn new() -> Self {
        let (given, collect) = (RowLabels::default(), Indexed::default());
        Scratch { cells: vec![0; MOST_CELLS], given, collect }
    }
}

impl LabelsOfRow for OfRow {
    type Members = Labelled;

    fn fill(&mut self, strip: &Strip<'_>, samples: &RowSamples<'_>) {
        for place in samples.of(&strip.times.time_bins).flatten() {
            if let Some(cell) = strip.cell_of(samples.all()[place]) {
                self.scratch.cells[cell] = place as u32;
            }
        }
    }

    fn collect(&mut self, strip: &Strip<'_>, peak: usize, Labelled(mut left): Labelled) {
        let Scratch { cells, given, collect } = &mut self.scratch;
        let (mut met, mut count) = ([0; MET], 0);
        while left != 0 {
            let (a, b) = CELLS[left.trailing_zeros() as usize];
            left &= left - 1;
            let place = cells[strip.plus(peak, (a.into(), b.into()))] as usize;
            let (first, end) = (given.first[place] as usize, given.first[place + 1] as usize);
            if end - first > FEW || count + FEW > MET {
                collect.add_all(&met[..count]);
                collect.add_all(&given.all[first..end]);
                count = 0;
            } else {
                // As many as are mostly there: how many there are decides on nothing.
                met[count..count + FEW].copy_from_slice(&given.all[first..first + FEW]);
                count += end - first;
            }
        }
        collect.add_all(&met[..count]);
        self.labels.add(|all| collect.take(all));
    }
}
