//! Finds the clusters of rows: each thread processes a row at a time.

use std::sync::{Mutex, PoisonError};

use super::by_row::RowSamples;
use super::labels::{Labelling, LabelsOfRow};
use super::peaks::{self, FindPeaks};
use super::strip::{self, Row, Scratch, Strip};
use crate::device::{Arena, buffers};
use crate::parallel::for_each_dynamic;
use crate::tpc_cluster_finder::cpu::buckets::Filling;
use crate::tpc_decode::FragmentOfFrame;

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
