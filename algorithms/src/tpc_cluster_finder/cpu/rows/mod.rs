//! Ours: row by row, as rows do not know of each other. Samples are put in order by row, and then
//! a thread has a row at a time, a thousand time bins of it, so that all it looks at stays in the
//! nearest caches: charges by pad and time bin, with nothing in between but zeros, in which
//! peaks are found by wide instructions; and a bit for each cell that is a peak, so that 81 cells
//! around a peak are looked at in nine words. Most peaks are alone there, and their charges
//! undivided.
//!
//! | module | holds |
//! |---|---|
//! | `by_row` | samples by row |
//! | `strip` | charges of a row in some time bins |
//! | `bits` | a bit for each cell |
//! | `peaks` | which cells are peaks |
//! | `noise` | which of them are kept |
//! | `clusters`, `crowded` | clusters around peaks that are alone, and around others |

mod bits;
mod by_row;
mod clusters;
mod crowded;
mod noise;
mod peaks;
mod strip;

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use generators::tpc::PadId;
use generators::tpc::charges::{Charge, ChargeCase};
use generators::tpc::geometry::pads_in_row;

use super::buckets::{self, Buckets, Filling, Starts};
use crate::algorithm::Runner;
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec, buffers};
use crate::parallel::for_each_singly;
use crate::timing::{Laps, Stages};
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::input::{Charges, RowCluster};
use by_row::RowOfCase;
use peaks::FindPeaks;
use strip::{Scratch, Strip};

pub(super) struct Rows<'a> {
    charges: &'a Charges,
    arena: &'a Arena,
    threads: usize,
    find_peaks: FindPeaks,
    starts: Starts,
    laps: Laps,
}

pub(super) struct Held<'a> {
    by_row: ArenaVec<'a, Charge>,
    /// One for each thread.
    scratch: Vec<Scratch<'a>>,
    clusters: Buckets<'a>,
}

buffers!(Held<'_>: by_row, scratch, clusters);

/// A row of pads, and what is to be known of it.
struct Row<'r> {
    case: &'r ChargeCase,
    /// The number of the sector.
    number: usize,
    row: usize,
    is_noisy: Vec<bool>,
}

impl Row<'_> {
    fn pads(&self) -> usize {
        self.is_noisy.len()
    }
}

impl<'a> Rows<'a> {
    pub(super) fn new(charges: &'a Charges, arena: &'a Arena, threads: usize) -> Self {
        let starts = buckets::starts(charges);
        let laps = Laps::default();
        Rows { charges, arena, threads, find_peaks: peaks::best(), starts, laps }
    }

    /// Finds the clusters of a row.
    fn find(&self, row: &RowOfCase<'_>, scratch: &mut Scratch<'_>, clusters: &Filling<'_>) {
        let case = &self.charges.cases()[row.case];
        let of_row =
            Row { case, number: row.case, row: row.row, is_noisy: is_noisy(case, row.row) };
        for times in strip::of_frame(case.time_bins) {
            let samples = row.samples(&times.time_bins);
            if samples.is_empty() {
                continue;
            }
            let mut strip = Strip::new(&of_row, times, scratch);
            strip.fill(samples);
            (self.find_peaks)(&mut strip);
            strip.suppress_noise();
            strip.find_clusters(clusters);
        }
    }
}

impl<'a> Runner<TpcClusterFinder> for Rows<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        let arena = self.arena;
        Ok(Held {
            by_row: arena.vector(self.charges.samples()),
            scratch: (0..self.threads).map(|_| Scratch::take(arena)).collect(),
            clusters: Buckets::take(arena, &self.starts),
        })
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        self.laps.start();
        let rows = by_row::sort(self.charges, &mut held.by_row);
        self.laps.lap("rows", 0);
        let clusters = held.clusters.emptied(&self.starts);
        let free = Mutex::new(held.scratch.iter_mut().collect::<Vec<_>>());
        let take = || free.lock().unwrap_or_else(PoisonError::into_inner);
        for_each_singly(rows, |row| {
            let scratch = take().pop();
            let Some(scratch) = scratch else { unreachable!("each thread of the team has one") };
            self.find(&row, scratch, &clusters);
            take().push(scratch);
        });
        self.laps.lap("clusters", 0);
        Ok(())
    }

    fn stages(&self, _: &Held<'a>) -> Stages {
        self.laps.stages()
    }

    fn output<'b>(&'b self, held: &'b Held<'a>) -> Cow<'b, Vec<RowCluster>> {
        Cow::Owned(held.clusters.sorted(&self.starts))
    }

    fn input_bytes(&self) -> u64 {
        (self.charges.samples() * size_of::<Charge>()) as u64
    }
}

/// Of each pad of a row, whether it is noisy.
fn is_noisy(case: &ChargeCase, row: usize) -> Vec<bool> {
    let first = PadId::new(row as u8, 0);
    let mut is_noisy = vec![false; pads_in_row(row)];
    let begin = case.noisy.partition_point(|pad| *pad < first);
    for pad in case.noisy[begin..].iter().take_while(|pad| usize::from(pad.row()) == row) {
        is_noisy[usize::from(pad.pad())] = true;
    }
    is_noisy
}
