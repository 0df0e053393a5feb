//! Labels of clusters, row by row.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use generators::tpc::geometry::ROWS;

use super::by_row::RowSamples;
use super::crowded::Peaks;
use super::strip::{MOST_CELLS, Strip};
use crate::tpc_cluster_finder::cpu::directions::{DIRECTIONS, Step};
use crate::tpc_cluster_finder::cpu::labels::{Flat, Joined, of_sample};
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::collect::{Collect, Recent};
use crate::tpc_cluster_finder::settings::sixteenths;

/// Who wants labels of clusters.
pub(crate) trait Labelling: Sync {
    /// What is collected in a row.
    type OfRow: LabelsOfRow;

    /// For a row that nothing was found in so far.
    fn begin(&self) -> Self::OfRow;

    /// Keeps what was collected.
    fn end(&self, samples: &RowSamples<'_>, labels: Self::OfRow);
}

/// Labels of the clusters of a row, while they are found.
pub(crate) trait LabelsOfRow {
    /// Notes where some samples are that have been put into a strip.
    fn fill(&mut self, strip: &Strip<'_>, samples: &RowSamples<'_>, run: Range<usize>);

    /// Collects the labels of the next cluster, which is around this peak.
    fn collect(&mut self, strip: &Strip<'_>, peak: usize, peaks: &Peaks);
}

/// Nobody does.
impl Labelling for () {
    type OfRow = ();

    #[inline]
    fn begin(&self) {}

    #[inline]
    fn end(&self, _: &RowSamples<'_>, (): ()) {}
}

impl LabelsOfRow for () {
    #[inline]
    fn fill(&mut self, _: &Strip<'_>, _: &RowSamples<'_>, _: Range<usize>) {}

    #[inline]
    fn collect(&mut self, _: &Strip<'_>, _: usize, _: &Peaks) {}
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
    /// The number of the sample of each cell that has one, among those of all rows.
    cells: Vec<u32>,
    collect: Recent,
}

/// The labels of a row.
pub(super) struct OfRow<'l> {
    of: &'l AllLabels<'l>,
    case: usize,
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
    type OfRow = OfRow<'l>;

    fn begin(&self) -> OfRow<'l> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let scratch = free
            .unwrap_or_else(|| Scratch { cells: vec![0; MOST_CELLS], collect: Recent::default() });
        OfRow { of: self, case: 0, scratch, labels: Joined::default() }
    }

    fn end(&self, samples: &RowSamples<'_>, row: OfRow<'l>) {
        let mut kept = self.rows[samples.case * ROWS + samples.row]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = row.labels;
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(row.scratch);
    }
}

impl LabelsOfRow for OfRow<'_> {
    fn fill(&mut self, strip: &Strip<'_>, samples: &RowSamples<'_>, run: Range<usize>) {
        self.case = samples.case;
        let numbers = &self.of.numbers[samples.first()..];
        for place in run {
            if let Some(cell) = strip.cell_of(samples.all()[place]) {
                self.scratch.cells[cell] = numbers[place];
            }
        }
    }

    fn collect(&mut self, strip: &Strip<'_>, peak: usize, peaks: &Peaks) {
        let Scratch { cells, collect } = &mut self.scratch;
        let labels = self.of.charges.cases()[self.case].labels.as_ref();
        strip.labelled(peak, peaks, |cell| {
            let labels = of_sample(labels, cells[cell] as usize);
            labels.iter().for_each(|label| collect.add(*label));
        });
        self.labels.add(|all| collect.take(all));
    }
}

impl Strip<'_> {
    /// Calls `add` for the cells whose samples give their labels to the cluster around a peak: what
    /// is beside it, then what is behind that, as far as a charge is left.
    #[inline]
    fn labelled(&self, peak: usize, peaks: &Peaks, mut add: impl FnMut(usize)) {
        let threshold = sixteenths(self.row.settings.inner_threshold);
        let share = |step: Step| self.share(peak, peaks, step);
        let mut give = |step: Step| {
            if share(step) > 0 {
                add(self.plus(peak, (step.0.into(), step.1.into())));
            }
        };
        give((0, 0));
        DIRECTIONS.iter().for_each(|(inner, _)| give(*inner));
        for (inner, behind) in DIRECTIONS {
            if share(inner) > threshold {
                behind.iter().for_each(|step| give(*step));
            }
        }
    }
}
