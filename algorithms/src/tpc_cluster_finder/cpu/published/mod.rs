//! As the experiment finds clusters on a CPU: sector by sector and fragment by fragment, with a
//! loop for each stage over the samples, or over the peaks that are left of them.
//!
//! | module | holds |
//! |---|---|
//! | `maps` | charges and peaks of a fragment, in tiles |
//! | `peaks`, `noise`, `shares`, `clusters` | the stages |

mod clusters;
mod maps;
mod noise;
mod peaks;
mod shares;

use std::borrow::Cow;

use generators::tpc::charges::{Charge, ChargeCase};

use super::buckets::{self, Buckets, Filling, Starts};
use crate::algorithm::Runner;
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec, SharedSlice, buffers};
use crate::parallel::{Grain, for_each_range};
use crate::timing::{Laps, Stages};
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::fragments::{Fragment, of_frame};
use crate::tpc_cluster_finder::input::{Charges, RowCluster};
use crate::tpc_decode::charge_map::{COLUMNS, column};
use maps::Maps;

pub(super) struct Published<'a> {
    charges: &'a Charges,
    arena: &'a Arena,
    starts: Starts,
    laps: Laps,
}

pub(super) struct Held<'a> {
    charges: ArenaVec<'a, u16>,
    peaks: ArenaVec<'a, u8>,
    positions: ArenaVec<'a, Place>,
    /// Of each position: whether it is a peak; then of each peak, whether it is kept.
    predicate: ArenaVec<'a, u8>,
    raw: ArenaVec<'a, Place>,
    kept: ArenaVec<'a, Place>,
    clusters: Buckets<'a>,
}

buffers!(Held<'_>: charges, peaks, positions, predicate, raw, kept, clusters);

/// Column and line of a sample in a fragment; a negative line if it is outside.
type Place = [i16; 2];

/// What the stages leave for each other.
struct Lists<'l> {
    positions: &'l mut [Place],
    predicate: &'l mut [u8],
    raw: &'l mut [Place],
    kept: &'l mut [Place],
}

/// What all stages of a fragment know.
struct Work<'w> {
    case: &'w ChargeCase,
    /// The number of the sector.
    number: usize,
    fragment: Fragment,
    /// Whether pads are noisy, by column.
    is_noisy: &'w [bool],
    maps: Maps<'w>,
}

impl<'a> Published<'a> {
    pub(super) fn new(charges: &'a Charges, arena: &'a Arena) -> Self {
        Published { charges, arena, starts: buckets::starts(charges), laps: Laps::default() }
    }

    /// Time bins of the longest fragment.
    fn longest(&self) -> u32 {
        let cases = self.charges.cases().iter();
        cases.map(|case| case.fragment.min(used_time_bins(case))).max().unwrap_or(0)
    }
}

impl<'a> Runner<TpcClusterFinder> for Published<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        let (arena, longest) = (self.arena, self.longest());
        let cases = self.charges.cases().iter();
        let samples = cases.map(|case| case.charges.len()).max().unwrap_or(0);
        Ok(Held {
            charges: arena.vector(maps::charge_entries(longest)),
            peaks: arena.vector(maps::peak_entries(longest)),
            positions: arena.vector(samples),
            predicate: arena.vector(samples),
            raw: arena.vector(samples),
            kept: arena.vector(samples),
            clusters: Buckets::take(arena, self.charges.samples(), self.charges.cases().len()),
        })
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        self.laps.start();
        let clusters = held.clusters.emptied(&self.starts);
        let mut lists = Lists {
            positions: &mut held.positions,
            predicate: &mut held.predicate,
            raw: &mut held.raw,
            kept: &mut held.kept,
        };
        for (number, case) in self.charges.cases().iter().enumerate() {
            let is_noisy = noisy_columns(case);
            for fragment in of_frame(used_time_bins(case), case.fragment) {
                let time_bins = fragment.time_bins.len() as u32;
                let maps = Maps::new(&mut held.charges, &mut held.peaks, time_bins);
                let work = Work { case, number, fragment, is_noisy: &is_noisy, maps };
                work.run(&mut lists, &clusters, &mut self.laps);
            }
        }
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

impl Work<'_> {
    fn run(&self, lists: &mut Lists<'_>, clusters: &Filling<'_>, laps: &mut Laps) {
        laps.skip();
        self.maps.clear();
        laps.lap("clear", 0);
        let samples = self.samples();
        let positions = &mut lists.positions[..samples.len()];
        self.fill(samples, positions);
        laps.lap("fill", 0);
        let predicate = &mut lists.predicate[..samples.len()];
        self.find_peaks(positions, predicate);
        laps.lap("peaks", 0);
        let raw = compacted(positions, predicate, lists.raw);
        laps.lap("compaction", 0);
        let predicate = &mut predicate[..raw.len()];
        self.suppress_noise(raw, predicate);
        self.maps.update(raw, predicate);
        laps.lap("suppress", 0);
        let kept = compacted(raw, predicate, lists.kept);
        laps.lap("compaction", 0);
        if kept.is_empty() {
            return;
        }
        self.divide(positions);
        laps.lap("deconvolute", 0);
        self.find_clusters(kept, clusters);
        laps.lap("clusterize", 0);
    }

    /// The samples of the fragment, and others where they are not in the order of time.
    fn samples(&self) -> &[Charge] {
        let (all, times) = (&self.case.charges, &self.fragment.time_bins);
        if !all.is_sorted_by_key(|sample| sample.time) {
            return all;
        }
        let before = |time| all.partition_point(|sample| sample.time < time);
        &all[before(times.start)..before(times.end)]
    }

    /// Puts charges into their map, and says where they are.
    fn fill(&self, samples: &[Charge], positions: &mut [Place]) {
        let times = &self.fragment.time_bins;
        each_of(positions, |number| {
            let sample = samples[number];
            if !times.contains(&sample.time) {
                return [0, -1];
            }
            let place = maps::place(sample.pad, sample.time - times.start);
            self.maps.set_charge(place, sample.charge);
            place
        });
    }
}

/// Time bins up to the last sample; fragments end there.
fn used_time_bins(case: &ChargeCase) -> u32 {
    case.charges.iter().map(|sample| sample.time + 1).max().unwrap_or(0)
}

fn noisy_columns(case: &ChargeCase) -> Vec<bool> {
    let mut is_noisy = vec![false; COLUMNS];
    for &pad in &case.noisy {
        is_noisy[column(pad)] = true;
    }
    is_noisy
}

/// Sets each element, by all threads.
fn each_of<T: Copy + Send>(list: &mut [T], element: impl Fn(usize) -> T + Sync) {
    let count = list.len();
    let shared = SharedSlice::new(list);
    for_each_range(count, Grain::Adaptive, |range| {
        for number in range {
            // SAFETY: each number is in one range only.
            unsafe { shared.write(number, element(number)) };
        }
    });
}

/// The places that are marked, in their order.
fn compacted<'l>(places: &[Place], predicate: &[u8], list: &'l mut [Place]) -> &'l [Place] {
    let mut count = 0;
    for (place, mark) in places.iter().zip(predicate) {
        if *mark != 0 {
            list[count] = *place;
            count += 1;
        }
    }
    &list[..count]
}
