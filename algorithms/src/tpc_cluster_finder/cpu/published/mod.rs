//! As the experiment finds clusters on a CPU: sector by sector and fragment by fragment, with a
//! loop for each stage over the samples, or over the peaks that are left of them.
//!
//! | module | holds |
//! |---|---|
//! | `maps` | charges and peaks of a fragment, in tiles |
//! | `work` | the stages of a fragment, one after the other |
//! | `peaks`, `noise`, `shares`, `clusters` | the stages |

mod clusters;
mod maps;
mod noise;
mod peaks;
mod shares;
mod work;

use std::borrow::Cow;

use generators::tpc::charges::{Charge, ChargeCase};

use super::buckets::{self, Buckets, Starts};
use crate::algorithm::Runner;
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec, buffers};
use crate::timing::{Laps, Stages};
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::fragments::{of_case, used_time_bins};
use crate::tpc_cluster_finder::input::{Charges, RowCluster};
use crate::tpc_decode::charge_map::entries;
use crate::tpc_decode::{FragmentOfFrame, Position};
use work::each_of;

pub(crate) use maps::{Maps, peak_entries};
pub(crate) use work::{Lists, Work, noisy_columns};

pub(super) struct Published<'a> {
    charges: &'a Charges,
    arena: &'a Arena,
    starts: Starts,
    laps: Laps,
}

pub(super) struct Held<'a> {
    charges: ArenaVec<'a, u16>,
    peaks: ArenaVec<'a, u8>,
    positions: ArenaVec<'a, Position>,
    lists: Lists<'a>,
    clusters: Buckets<'a>,
}

buffers!(Held<'_>: charges, peaks, positions, lists, clusters);

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
            charges: arena.vector(entries(longest)),
            peaks: arena.vector(maps::peak_entries(entries(longest))),
            positions: arena.vector(samples),
            lists: Lists::take(arena, samples),
            clusters: Buckets::take(arena, self.charges.samples(), self.charges.cases().len()),
        })
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        self.laps.start();
        let clusters = held.clusters.emptied(&self.starts);
        for (number, case) in self.charges.cases().iter().enumerate() {
            let is_noisy = noisy_columns(&case.noisy);
            for fragment in of_case(case) {
                let charges = &mut held.charges[..entries(fragment.time_bins.len() as u32)];
                let maps = Maps::new(charges, &mut held.peaks);
                self.laps.skip();
                maps.clear_charges();
                self.laps.lap("clear", 0);
                let samples = samples(case, &fragment);
                let positions = &mut held.positions[..samples.len()];
                fill(&maps, &fragment, samples, positions);
                self.laps.lap("fill", 0);
                let settings = &case.settings;
                let work = Work { settings, fragment, is_noisy: &is_noisy, maps };
                let add = |row, cluster| clusters.add(number, row, cluster);
                work.find(positions, &mut held.lists, add, &mut self.laps);
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

/// The samples of a fragment, and others where they are not in the order of time.
fn samples<'c>(case: &'c ChargeCase, fragment: &FragmentOfFrame) -> &'c [Charge] {
    let (all, times) = (&case.charges, &fragment.time_bins);
    if !all.is_sorted_by_key(|sample| sample.time) {
        return all;
    }
    let before = |time| all.partition_point(|sample| sample.time < time);
    &all[before(times.start)..before(times.end)]
}

/// Puts charges into their map, and says where they are.
fn fill(
    maps: &Maps<'_>,
    fragment: &FragmentOfFrame,
    samples: &[Charge],
    positions: &mut [Position],
) {
    let times = &fragment.time_bins;
    each_of(positions, |number| {
        let sample = samples[number];
        if !times.contains(&sample.time) {
            return Position::OUTSIDE;
        }
        let position = Position::new(sample.pad, sample.time - times.start);
        maps.set_charge(position, sample.charge);
        position
    });
}
