//! The experiment's cluster finder for CPUs: sector by sector and fragment by fragment, with a loop
//! for each stage over the samples, or over the remaining peaks.
//!
//! | module | holds |
//! |---|---|
//! | `maps` | charges and peaks of a fragment, in tiles |
//! | `work` | the stages of a fragment, one after the other |

mod maps;
mod work;

use std::borrow::Cow;

use generators_tpc::charges::{Charge, ChargeCase};
use generators_tpc::geometry::ROWS;
use portable_gpu::DeviceError;
use portable_gpu::timing::{Laps, Stages};

use super::{Buckets, Filling, Flat, Locked, Starts, starts};
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::input::{Charges, of_case, used_time_bins};
use crate::tpc_cluster_finder::labels::Clusters;
use crate::tpc_cluster_finder::labels::collect::{Collect, Filtered, UnorderedSet};
use crate::tpc_decode::charge_map::entries;
use crate::tpc_decode::{FragmentOfFrame, Position};
use tasks::algorithm::Runner;
use tasks::device::{Arena, ArenaVec, buffers};
use work::each_of;

pub(crate) use maps::{Maps, peak_entries};
pub(in crate::tpc_cluster_finder) use maps::{Numbered, number_samples};
pub(crate) use work::{FragmentContext, Lists, noisy_columns};

pub(super) struct Published<'a> {
    charges: &'a Charges,
    arena: &'a Arena,
    collecting: Collecting,
    starts: Starts,
    /// Labels of the last run.
    labels: Option<Flat>,
    laps: Laps,
}

/// Collector of labels, if there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collecting {
    UnorderedSet,
    Filtered,
}

pub(super) struct PublishedBuffers<'a> {
    charges: ArenaVec<'a, u16>,
    peaks: ArenaVec<'a, u8>,
    positions: ArenaVec<'a, Position>,
    /// The index of the sample of each entry, if samples have labels.
    indices: ArenaVec<'a, u32>,
    lists: Lists<'a>,
    clusters: Buckets<'a>,
}

buffers!(PublishedBuffers<'_>: charges, peaks, positions, indices, lists, clusters);

/// A fragment of a sector while clusters are found in it.
struct Part<'p> {
    index: usize,
    clusters: &'p Filling<'p>,
    samples: Numbered<'p>,
    /// The lists of all rows.
    labels: &'p [Locked],
}

impl<'a> Published<'a> {
    pub(super) fn new(charges: &'a Charges, arena: &'a Arena, collecting: Collecting) -> Self {
        let starts = starts(charges);
        Published { charges, arena, collecting, starts, labels: None, laps: Laps::default() }
    }

    /// Time bins of the longest fragment.
    fn longest(&self) -> u32 {
        let cases = self.charges.cases().iter();
        cases.map(|case| case.fragment.min(used_time_bins(case))).max().unwrap_or(0)
    }

    /// Finds clusters fragment by fragment; `find` is called once the maps are filled.
    fn run_with(
        &mut self,
        buffers: &mut PublishedBuffers<'a>,
        labels: &[Locked],
        find: impl Fn(&Part<'_>, &FragmentContext<'_>, &[Position], &mut Lists<'_>, &mut Laps),
    ) {
        self.laps.start();
        let clusters = buffers.clusters.emptied(&self.starts);
        for (index, case) in self.charges.cases().iter().enumerate() {
            let is_noisy = noisy_columns(&case.noisy);
            for fragment in of_case(case) {
                let charges = &mut buffers.charges[..entries(fragment.time_bins.len() as u32)];
                let maps = Maps::new(charges, &mut buffers.peaks);
                self.laps.skip();
                maps.clear_charges();
                self.laps.lap("clear", 0);
                let samples = samples_of(case, &fragment);
                let positions = &mut buffers.positions[..samples.len()];
                fill(&maps, &fragment, samples, positions);
                if !labels.is_empty() {
                    number_samples(case, &fragment, samples, &mut buffers.indices);
                }
                self.laps.lap("fill", 0);
                let work = FragmentContext {
                    settings: &case.settings,
                    fragment,
                    is_noisy: &is_noisy,
                    maps,
                };
                let numbered = Numbered { case, indices: &buffers.indices };
                let part = Part { index, clusters: &clusters, samples: numbered, labels };
                find(&part, &work, positions, &mut buffers.lists, &mut self.laps);
            }
        }
    }

    /// Finds clusters without labels.
    fn run_without(&mut self, buffers: &mut PublishedBuffers<'a>) {
        self.run_with(buffers, &[], |part, work, positions, lists, laps| {
            let add = |row, cluster, _| {
                part.clusters.add(part.index, row, cluster);
            };
            work.find(positions, lists, add, laps);
        });
    }

    /// Finds clusters, and collects their labels.
    fn run_collecting<C: Collect>(&mut self, buffers: &mut PublishedBuffers<'a>) {
        let rows = Locked::rows(self.charges.cases().len() * ROWS);
        self.run_with(buffers, &rows, |part, work, positions, lists, laps| {
            let add = |row, cluster, peak| {
                let index = part.clusters.add(part.index, row, cluster);
                let list = part.samples.collected::<C>(&work.maps, peak);
                part.labels[part.index * ROWS + row].put(index, list);
            };
            work.find(positions, lists, add, laps);
        });
        let counted = rows.iter().zip(buffers.clusters.counts());
        counted.for_each(|(row, count)| row.cut(*count as usize));
        self.labels = Some(Flat::concatenate(&rows));
        self.laps.lap("flatten", 0);
    }
}

impl<'a> Runner<TpcClusterFinder> for Published<'a> {
    type Buffers = PublishedBuffers<'a>;

    fn allocate(&self) -> Result<PublishedBuffers<'a>, DeviceError> {
        let arena = self.arena;
        let longest = self.longest();
        let cases = self.charges.cases().iter();
        let samples = cases.map(|case| case.charges.len()).max().unwrap_or(0);
        let indices = if self.charges.has_labels() { entries(longest) } else { 0 };
        Ok(PublishedBuffers {
            charges: arena.vector(entries(longest)),
            peaks: arena.vector(maps::peak_entries(entries(longest))),
            positions: arena.vector(samples),
            indices: arena.vector(indices),
            lists: Lists::take(arena, samples),
            clusters: Buckets::take(arena, self.charges.samples(), self.charges.cases().len()),
        })
    }

    fn run(&mut self, buffers: &mut PublishedBuffers<'a>) -> Result<(), DeviceError> {
        match (self.charges.has_labels(), self.collecting) {
            (false, _) => self.run_without(buffers),
            (true, Collecting::UnorderedSet) => self.run_collecting::<UnorderedSet>(buffers),
            (true, Collecting::Filtered) => self.run_collecting::<Filtered>(buffers),
        }
        Ok(())
    }

    fn stages(&self, _: &PublishedBuffers<'a>) -> Stages {
        self.laps.stages()
    }

    fn output<'b>(&'b self, buffers: &'b PublishedBuffers<'a>) -> Cow<'b, Clusters> {
        Cow::Owned(match &self.labels {
            Some(labels) => buffers.clusters.labelled(&self.starts, labels),
            None => buffers.clusters.sorted(&self.starts).into(),
        })
    }

    fn input_bytes(&self) -> u64 {
        (self.charges.samples() * size_of::<Charge>()) as u64
    }
}

/// The samples of a fragment, and others if samples are not in the order of time.
pub(in crate::tpc_cluster_finder) fn samples_of<'c>(
    case: &'c ChargeCase,
    fragment: &FragmentOfFrame,
) -> &'c [Charge] {
    let all = &case.charges;
    let times = &fragment.time_bins;
    if !all.is_sorted_by_key(|sample| sample.time) {
        return all;
    }
    let before = |time| all.partition_point(|sample| sample.time < time);
    &all[before(times.start)..before(times.end)]
}

/// Stores charges in their map, and returns their positions.
fn fill(
    maps: &Maps<'_>,
    fragment: &FragmentOfFrame,
    samples: &[Charge],
    positions: &mut [Position],
) {
    let times = &fragment.time_bins;
    each_of(positions, |index| {
        let sample = samples[index];
        if !times.contains(&sample.time) {
            return Position::OUTSIDE;
        }
        let position = Position::new(sample.pad, sample.time - times.start);
        maps.set_charge(position, sample.charge);
        position
    });
}
