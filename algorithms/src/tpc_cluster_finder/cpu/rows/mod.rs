//! recobench's finder: row by row, as rows are independent. Samples are sorted by row, and then a
//! thread processes a row at a time, a thousand time bins of it, so that its data stay in the
//! nearest caches: charges by pad and time bin, with zeros in between, in which peaks are found by
//! SIMD instructions; and a bit for each cell that is a peak, so that 81 cells around a peak are
//! examined in nine words. Most peaks are isolated, and their charges undivided.
//!
//! | module | holds |
//! |---|---|
//! | `by_row` | samples by row |
//! | `finder` | the threads, and their work on each row |
//! | `strip` | charges of a row in some time bins |
//! | `bits` | a bit for each cell |
//! | `peaks` | cells that are peaks |
//! | `noise` | suppression of peaks |
//! | `clusters`, `crowded` | clusters around isolated peaks, and around others |
//! | `members` | cells around a peak that give labels to its cluster |
//! | `labels` | the labels of clusters |

mod bits;
mod by_row;
mod clusters;
mod crowded;
mod finder;
mod labels;
mod members;
mod noise;
mod peaks;
mod strip;

use std::borrow::Cow;

use generators::tpc::PadId;
use generators::tpc::charges::{Charge, ChargeCase};
use generators::tpc::geometry::pads_in_row;

use super::buckets::{Buckets, Starts};
use super::labels::Flat;
use crate::algorithm::Runner;
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec, buffers};
use crate::shared::SharedSlice;
use crate::timing::{Laps, Stages};
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::Clusters;
use labels::{AllLabels, LabelBuffers, Noting, Span};

pub(crate) use by_row::{RowSamples, Source, sort};
pub(crate) use finder::Finder;
pub(crate) use strip::Row;

pub(super) struct Rows<'a> {
    charges: &'a Charges,
    arena: &'a Arena,
    threads: usize,
    starts: Starts,
    label_buffers: LabelBuffers,
    /// Labels of the last run.
    labels: Option<Flat>,
    laps: Laps,
}

pub(super) struct RowsBuffers<'a> {
    by_row: ArenaVec<'a, Charge>,
    /// Ranges of the labels of each sample, if samples have some.
    spans: ArenaVec<'a, Span>,
    finder: Finder<'a>,
    clusters: Buckets<'a>,
}

buffers!(RowsBuffers<'_>: by_row, spans, finder, clusters);

impl<'a> Rows<'a> {
    pub(super) fn new(charges: &'a Charges, arena: &'a Arena, threads: usize) -> Self {
        let starts = Starts::new();
        let laps = Laps::default();
        let label_buffers = LabelBuffers::new(charges.cases().len());
        Rows { charges, arena, threads, starts, label_buffers, labels: None, laps }
    }

    /// The samples of each sector.
    fn samples(&self) -> Vec<&'a [Charge]> {
        self.charges.cases().iter().map(|case| &case.charges[..]).collect()
    }

    /// Finds clusters without labels.
    fn run_without(&mut self, buffers: &mut RowsBuffers<'a>) {
        let (rows, starts) = sort(&self.samples(), |_, sample| sample, &mut buffers.by_row, &());
        self.starts = starts;
        self.laps.lap("rows", 0);
        let row = |samples: &RowSamples<'_>| row(self.charges, samples);
        buffers.finder.find(rows, row, &buffers.clusters.emptied(&self.starts), &());
        self.laps.lap("clusters", 0);
    }

    /// Finds clusters, and collects their labels.
    fn run_collecting(&mut self, buffers: &mut RowsBuffers<'a>) {
        self.label_buffers.clear();
        let charges = self.charges;
        let noting = Noting { charges, spans: SharedSlice::new(&mut buffers.spans) };
        let (rows, starts) =
            sort(&self.samples(), |_, sample| sample, &mut buffers.by_row, &noting);
        self.starts = starts;
        self.laps.lap("rows", 0);
        let row = |samples: &RowSamples<'_>| row(charges, samples);
        let labels =
            AllLabels { charges, spans: &buffers.spans, label_buffers: &self.label_buffers };
        buffers.finder.find(rows, row, &buffers.clusters.emptied(&self.starts), &labels);
        self.laps.lap("clusters", 0);
        self.labels = Some(self.label_buffers.flat());
        self.laps.lap("flatten", 0);
    }
}

impl<'a> Runner<TpcClusterFinder> for Rows<'a> {
    type Buffers = RowsBuffers<'a>;

    fn allocate(&self) -> Result<RowsBuffers<'a>, DeviceError> {
        let samples = self.charges.samples();
        let labelled = if self.charges.has_labels() { samples } else { 0 };
        Ok(RowsBuffers {
            by_row: self.arena.vector(samples),
            spans: self.arena.vector(labelled),
            finder: Finder::take(self.arena, self.threads),
            clusters: Buckets::take(self.arena, samples, self.charges.cases().len()),
        })
    }

    fn run(&mut self, buffers: &mut RowsBuffers<'a>) -> Result<(), DeviceError> {
        self.laps.start();
        if self.charges.has_labels() {
            self.run_collecting(buffers);
        } else {
            self.run_without(buffers);
        }
        Ok(())
    }

    fn stages(&self, _: &RowsBuffers<'a>) -> Stages {
        self.laps.stages()
    }

    fn output<'b>(&'b self, buffers: &'b RowsBuffers<'a>) -> Cow<'b, Clusters> {
        Cow::Owned(match &self.labels {
            Some(labels) => buffers.clusters.labelled(&self.starts, labels),
            None => buffers.clusters.sorted(&self.starts).into(),
        })
    }

    fn input_bytes(&self) -> u64 {
        (self.charges.samples() * size_of::<Charge>()) as u64
    }
}

/// Description of a row.
fn row<'r>(charges: &'r Charges, samples: &RowSamples<'_>) -> Row<'r> {
    let case = &charges.cases()[samples.case];
    let is_noisy = is_noisy(case, samples.row);
    Row { settings: &case.settings, time_bins: case.time_bins, is_noisy }
}

/// True for each noisy pad of a row.
fn is_noisy(case: &ChargeCase, row: usize) -> Vec<bool> {
    let first = PadId::new(row as u8, 0);
    let mut is_noisy = vec![false; pads_in_row(row)];
    let begin = case.noisy.partition_point(|pad| *pad < first);
    for pad in case.noisy[begin..].iter().take_while(|pad| usize::from(pad.row()) == row) {
        is_noisy[usize::from(pad.pad())] = true;
    }
    is_noisy
}
