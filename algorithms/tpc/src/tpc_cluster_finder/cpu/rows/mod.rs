//! recobench's finder: row by row, as rows are independent. Samples are sorted by row, and then a
//! thread processes a row at a time, a thousand time bins of it, so that its data stay in the
//! nearest caches: charges by pad and time bin, with zeros in between, in which peaks are found by
//! SIMD instructions; and a bit for each cell that is a peak, so that 81 cells around a peak are
//! examined in nine words. Most peaks are isolated, and their charges undivided.
//!
//! | module | holds |
//! |---|---|
//! | `by_row` | samples by row |
//! | `strip` | charges of a row in some time bins |
//! | `peaks` | cells that are peaks, without noise |
//! | `clusters` | clusters around isolated peaks, and around others |
//! | `labels` | the labels of clusters |

mod by_row;
mod clusters;
mod labels;
mod peaks;
mod strip;

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use generators_tpc::PadId;
use generators_tpc::charges::{Charge, ChargeCase};
use generators_tpc::geometry::pads_in_row;
use parallel::for_each_dynamic;
use parallel::shared::SharedSlice;
use portable_gpu::DeviceError;
use portable_gpu::timing::{Laps, Stages};

use super::{Buckets, Filling, Flat, Starts};
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::Clusters;
use crate::tpc_decode::FragmentOfFrame;
use labels::{AllLabels, LabelBuffers, Labelling, LabelsOfRow, Noting, Span};
use peaks::FindPeaks;
use strip::{Scratch, Strip};
use tasks::algorithm::Runner;
use tasks::device::{Arena, ArenaVec, buffers};

pub(crate) use by_row::{RowSamples, Source, sort};
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

/// Buffers of threads that find clusters.
pub(crate) struct Finder<'a> {
    /// One for each thread.
    scratch: Vec<Scratch<'a>>,
}

buffers!(Finder<'_>: scratch);

impl<'a> Finder<'a> {
    pub(crate) fn take(arena: &'a Arena, threads: usize) -> Self {
        Finder { scratch: (0..threads).map(|_| Scratch::take(arena)).collect() }
    }

    /// Adds the clusters of rows; `row` returns the description of each.
    pub(crate) fn find<'r>(
        &mut self,
        rows: Vec<RowSamples<'_>>,
        row: impl Fn(&RowSamples<'_>) -> Row<'r> + Sync,
        clusters: &Filling<'_>,
        labelling: &impl Labelling,
    ) {
        let find_peaks = peaks::best();
        let free = Mutex::new(self.scratch.iter_mut().collect::<Vec<_>>());
        let take = || free.lock().unwrap_or_else(PoisonError::into_inner);
        for_each_dynamic(rows, |samples| {
            let Some(scratch) = take().pop() else {
                unreachable!("each thread of the team has one")
            };
            let mut labels = labelling.begin(&samples);
            let row = row(&samples);
            find_in_row(&row, &samples, find_peaks, scratch, clusters, &mut labels);
            labelling.end(&samples, labels);
            take().push(scratch);
        });
    }
}

fn find_in_row(
    row: &Row<'_>,
    samples: &RowSamples<'_>,
    find_peaks: FindPeaks,
    scratch: &mut Scratch<'_>,
    clusters: &Filling<'_>,
    labels: &mut impl LabelsOfRow,
) {
    for times in strip::of_frame(row.time_bins) {
        if samples.in_times(&times.time_bins).all(|run| run.is_empty()) {
            continue;
        }
        let strip = strip_with_peaks(row, samples, times, find_peaks, scratch);
        labels.fill(&strip, samples);
        strip.find_clusters(|cluster, peak, members| {
            clusters.add(samples.case, samples.row, cluster);
            labels.collect(peak, members);
        });
    }
}

/// Shared by variants with and without labels: the functions it calls are called from here only,
/// and are inlined.
#[inline(never)]
fn strip_with_peaks<'s>(
    row: &'s Row<'s>,
    samples: &RowSamples<'_>,
    times: FragmentOfFrame,
    find_peaks: FindPeaks,
    scratch: &'s mut Scratch<'_>,
) -> Strip<'s> {
    let mut strip = Strip::new(row, times, scratch);
    let times = strip.times.time_bins.clone();
    samples.in_times(&times).for_each(|run| strip.fill(&samples.all()[run]));
    find_peaks(&mut strip);
    strip.suppress_noise();
    strip
}
